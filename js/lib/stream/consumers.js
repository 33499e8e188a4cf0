// SPDX-License-Identifier: MIT
// stream/consumers -- read a stream, or anything that can be iterated, to its
// end.
'use strict';

const { TextDecoder, TextEncoder } = require('bytes/encoding');

// What Blob makes of each part: bytes, or text.
function bytesOf(part) {
    if (ArrayBuffer.isView(part))
        return new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
    const kind = part !== null && typeof part === 'object'
        ? require('util/kinds').classOf(part) : '';
    return kind === 'ArrayBuffer' || kind === 'SharedArrayBuffer' ? new Uint8Array(part)
        : new TextEncoder().encode(`${part}`);
}

async function arrayBuffer(stream) {
    const parts = [];
    let size = 0;
    for await (const part of stream) {
        const bytes = bytesOf(part);
        parts.push(bytes);
        size += bytes.length;
    }
    const all = new Uint8Array(size);
    for (let i = 0, at = 0; i < parts.length; at += parts[i++].length)
        all.set(parts[i], at);
    return all.buffer;
}

async function blob(stream) {
    const parts = [];
    for await (const part of stream)
        parts.push(part);
    return new (require('web/blob').Blob)(parts);
}

async function buffer(stream) {
    return require('bytes/buffer').Buffer.from(await arrayBuffer(stream));
}

async function text(stream) {
    const decoder = new TextDecoder();
    let all = '';
    for await (const part of stream)
        all += typeof part === 'string' ? part : decoder.decode(part, { stream: true });
    return all + decoder.decode(undefined, { stream: false });
}

async function json(stream) {
    return JSON.parse(await text(stream));
}

module.exports = { arrayBuffer, blob, buffer, text, json };
