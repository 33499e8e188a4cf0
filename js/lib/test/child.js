// SPDX-License-Identifier: MIT
// child -- a process, by its arguments (js/test/child.c).
'use strict';

const { constants } = require('system/os');
const { coded } = require('core/errors');

function signalName(number) {
    return Object.keys(constants.signals).find((name) => constants.signals[name] === number);
}

// Returns {pid, stdout, stderr, kill(signal), exit}, where `exit` is a promise of
// {code, signal}, as Node has them.
function spawn(args, env) {
    const { Socket } = require('net/socket');
    let resolve;
    const exit = new Promise((done) => { resolve = done; });
    const made = native.spawn(args, Object.entries(env).map(([key, value]) =>
        `${key}=${value}`), (code, signal) => resolve(signal === 0
        ? { code, signal: null } : { code: null, signal: signalName(signal) ?? signal }));
    if (typeof made === 'number')
        throw coded(Error, 'ERR_CHILD_PROCESS', `cannot start ${args[0]}: ${
            require('util/util').getSystemErrorName(made)}`);
    const [id, pid, stdout, stderr] = made;
    const open = (handle) => new Socket({ handle, readable: true, writable: false });
    return { pid, exit, stdout: open(stdout), stderr: open(stderr),
        kill: (name) => native.kill(id, constants.signals[name]) };
}

module.exports = { spawn };
