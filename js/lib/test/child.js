// SPDX-License-Identifier: MIT
// child -- the process of a test file, by its arguments.  It leads a process
// group, which is killed with it: so no process that a test has started survives
// the runner.
'use strict';

const { constants } = require('system/os');
const { coded } = require('core/errors');
const children = require('process/child');

function signalName(number) {
    return Object.keys(constants.signals).find((name) => constants.signals[name] === number);
}

// Returns {pid, stdout, stderr, kill(signal), exit}, where `exit` is a promise of
// {code, signal}, as Node has them.
function spawn(args, env) {
    const { Socket } = require('net/socket');
    let resolve;
    const exit = new Promise((done) => { resolve = done; });
    const made = children.start({ file: args[0], args, flags: children.GROUP,
        envPairs: Object.entries(env).map(([key, value]) => `${key}=${value}`),
        stdio: [[children.NULL, -1], [children.PIPE_OUT, -1], [children.PIPE_OUT, -1]] },
    (code, signal) => resolve(signal === 0
        ? { code, signal: null } : { code: null, signal: signalName(signal) ?? signal }));
    if (typeof made === 'number')
        throw coded(Error, 'ERR_CHILD_PROCESS', `cannot start ${args[0]}: ${
            require('net/errors').errnoError(made, 'spawn').code}`);
    const { handle, pid, ends } = made;
    const open = (end) => new Socket({ handle: end, readable: true, writable: false });
    return { pid, exit, stdout: open(ends[1]), stderr: open(ends[2]),
        kill: (name) => children.killGroup(handle, constants.signals[name]) };
}

module.exports = { spawn };
