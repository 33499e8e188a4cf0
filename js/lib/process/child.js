// SPDX-License-Identifier: MIT
// process/child -- child processes as C starts them (js/process/child.c).
'use strict';

// The kinds of weir_stdio.
const NULL = 0, INHERIT = 1, FD = 2, PIPE_IN = 3, PIPE_OUT = 4, SOCKET = 5;
const DETACHED = 1, GROUP = 2;

const { kill, killGroup, setRef } = native;

// Text that C can use: well-formed, without a NUL.
const wellFormed = (text) => String(text).toWellFormed();

// Start a child.  `stdio` lists [kind, descriptor]; `envPairs` are strings, which C
// makes well-formed, or undefined.  Returns -errno, or {handle, pid, ends}: our ends of its pipes and
// sockets.  onExit(code, signal) is called once.
function start({ file, args, envPairs, cwd, stdio, flags = 0, uid, gid }, onExit) {
    const made = native.spawn(wellFormed(file), args.map(wellFormed),
        envPairs, cwd === undefined ? undefined : wellFormed(cwd),
        stdio.flat(), flags, uid, gid, onExit);
    if (typeof made === 'number')
        return made;
    const [handle, pid, ...ends] = made;
    return { handle, pid, ends };
}

module.exports = { start, kill, killGroup, setRef,
    NULL, INHERIT, FD, PIPE_IN, PIPE_OUT, SOCKET, DETACHED, GROUP };
