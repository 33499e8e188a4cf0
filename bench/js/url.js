// SPDX-License-Identifier: MIT
// Ten URLs as programs have them, 20,000 times each: nanoseconds of new URL, and of
// URL.canParse.  The first round is a warm-up.
'use strict';

const COUNT = 200000;

const urls = ['http://example.com/', 'https://www.example.com/a/b/c?x=1&y=2#part',
    'https://user:secret@example.com:8080/path', 'postgres://user:pw@localhost:5432/db?sslmode=require',
    'redis://127.0.0.1:6379/0', 'mailto:someone@example.com', 'data:text/plain;base64,SGVsbG8=',
    'file:///home/user/file.txt', 'https://EXAMPLE.com/a/../b/./c%20d e', 'http://[::1]:3000/'];

function construct(count) {
    let length = 0;
    for (let i = 0; i < count; i++)
        length += new URL(urls[i % 10]).href.length;
    return length;
}

function check(count) {
    let valid = 0;
    for (let i = 0; i < count; i++)
        valid += URL.canParse(urls[i % 10]);
    return valid;
}

for (const round of [construct, check]) {
    round(COUNT / 10);
    const began = performance.now();
    round(COUNT);
    console.log((performance.now() - began) * 1e6 / COUNT);
}
