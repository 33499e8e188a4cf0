// SPDX-License-Identifier: MIT
// process/stdio -- the option `stdio`: what each descriptor of a child is.
'use strict';

const { coded, invalidArgValue } = require('core/errors');
const { NULL, INHERIT, FD, PIPE_IN, PIPE_OUT, SOCKET } = require('process/child');

// A name that stands for three of its kind.
function spread(stdio) {
    if (Array.isArray(stdio))
        return stdio.slice();
    if (!['ignore', 'overlapped', 'pipe', 'inherit'].includes(stdio))
        throw invalidArgValue('stdio', stdio);
    return [stdio, stdio, stdio];
}

// The first three are one-way, as programs expect of them.
const pipeKind = (index) => index === 0 ? PIPE_IN : index < 3 ? PIPE_OUT : SOCKET;

const descriptorOf = (entry) => typeof entry === 'number' ? entry
    : typeof entry === 'object' && typeof entry.fd === 'number' ? entry.fd : undefined;

// An entry as {type, kind, fd}.  `isSync`: there is no IPC, and bytes may be
// given as the input.
function parse(given, index, isSync) {
    const entry = given ?? (index < 3 ? 'pipe' : 'ignore');
    if (entry === 'ignore')
        return { type: 'ignore', kind: NULL, fd: -1 };
    if (entry === 'pipe' || entry === 'overlapped' || (typeof entry === 'number' && entry < 0))
        return { type: 'pipe', kind: pipeKind(index), fd: -1 };
    if (entry === 'ipc') {
        if (isSync)
            throw coded(Error, 'ERR_IPC_SYNC_FORK',
                'IPC cannot be used with synchronous forks');
        return { type: 'ipc', kind: SOCKET, fd: -1 };
    }
    if (entry === 'inherit')
        return { type: 'inherit', kind: INHERIT, fd: index };
    const fd = descriptorOf(entry), handle = entry?._handle;
    if (fd !== undefined)
        return { type: 'fd', kind: FD, fd };
    if (typeof handle?.fd === 'number' && handle.fd >= 0)
        return { type: 'wrap', kind: FD, fd: handle.fd, stream: entry };
    if (isSync && (ArrayBuffer.isView(entry) || typeof entry === 'string'))
        return { type: 'pipe', kind: pipeKind(index), fd: -1, input: entry };
    if (ArrayBuffer.isView(entry) || typeof entry === 'string')
        throw coded(TypeError, 'ERR_INVALID_SYNC_FORK_INPUT', 'Asynchronous forks do not support ' +
            `Buffer, TypedArray, DataView or string input: ${require('util/inspect').inspect(entry)}`);
    throw invalidArgValue('stdio', given);
}

// Returns {entries, ipc}, where `ipc` is the index of the channel, or undefined.
function parseAll(stdio, isSync) {
    const list = spread(stdio);
    while (list.length < 3)
        list.push(undefined);
    const entries = list.map((entry, index) => parse(entry, index, isSync));
    const channels = entries.flatMap(({ type }, index) => type === 'ipc' ? index : []);
    if (channels.length > 1)
        throw coded(Error, 'ERR_IPC_ONE_PIPE', 'Child process can have only one IPC pipe');
    return { entries, ipc: channels[0] };
}

module.exports = { parseAll };
