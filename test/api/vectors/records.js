// SPDX-License-Identifier: MIT
// records -- the files of test vectors of NIST: sections in brackets, and records of
// `name = value` that end with an empty line.
'use strict';
const fs = require('node:fs');
const path = require('node:path');

const FOLDER = '/usr/lib/python3/dist-packages/cryptography_vectors';

const list = (folder, pattern) => fs.readdirSync(path.join(FOLDER, folder))
    .filter((name) => pattern.test(name)).sort().map((name) => path.join(folder, name));
const lines = (file) => fs.readFileSync(path.join(FOLDER, file), 'latin1').split(/\r?\n/);

// Call `take` with each record that has the names in `needed`.  What a section says, and what
// stands alone, such as a key for several records, is in all that follow in the section.
function each(file, needed, take) {
    let section = {}, record = {}, inSection = false, count = 0;
    const end = () => {
        const whole = { ...section, ...record };
        if (needed.every((name) => name in whole) && needed.some((name) => name in record)) {
            take(whole);
            count++;
        } else {
            section = whole;
        }
        record = {};
        inSection = false;
    };
    for (const line of lines(file)) {
        const text = line.trim();
        if (text === '') {
            if (Object.keys(record).length > 0)
                end();
        } else if (text.startsWith('[')) {
            if (!inSection)
                section = {};
            inSection = true;
            const inside = text.slice(1, -1);
            section.title = inside;
            for (const part of inside.split(','))
                if (part.includes('='))
                    section[part.split('=')[0].trim()] = part.split('=')[1].trim();
        } else if (text === 'FAIL') {
            record.FAIL = true;
        } else if (!text.startsWith('#')) {
            const at = text.indexOf('=');
            if (at > 0)
                record[text.slice(0, at).trim()] = text.slice(at + 1).trim();
            inSection = false;
        }
    }
    if (Object.keys(record).length > 0)
        end();
    if (count === 0)
        throw new Error(`${file} has no records`);
}

// Files of RSA's kind: a comment `# Name:`, then hexadecimal lines.  Call `take` with what has been
// read at the end of each value that is called `last`.
function eachLabelled(file, last, take) {
    let label, record = {}, count = 0;
    const end = () => {
        if (label === last && record[last] !== '') {
            take({ ...record });
            count++;
        }
        label = undefined;
    };
    for (const line of lines(file)) {
        const name = /^#\s*([^:]+):\s*$/.exec(line);
        if (line.startsWith('#'))
            end();
        if (name !== null)
            record[label = name[1]] = '';
        else if (label !== undefined && /^[\da-f ]+$/i.test(line))
            record[label] += line.replaceAll(' ', '');
    }
    end();
    if (count === 0)
        throw new Error(`${file} has no records`);
}

module.exports = { FOLDER, each, eachLabelled, lines, list };
