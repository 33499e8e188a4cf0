// SPDX-License-Identifier: MIT
// attach -- ask another process for its monitor, over a Unix socket that only its
// owner can use.
//
// The process opens the socket when it gets a signal (cli/live.c).  The default
// effect of that signal would end a process, so it is sent only to one that
// catches it.
'use strict';

const fs = require('fs/fs');
const http = require('nodehttp/http');
const process = require('program/process');
const { setTimeout } = require('timers/timers');

const SIGNAL = 62; // SIGRTMAX - 2
const PAUSE_MS = 20, DEADLINE_MS = 10_000;

function readStatus(pid) {
    try {
        const text = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
        const find = (name) => new RegExp(`^${name}:\\s*(\\S+)\\s*(\\S*)`, 'm').exec(text);
        return { uid: Number(find('Uid')[2]), caught: BigInt(`0x${find('SigCgt')[1]}`) };
    } catch {
        throw new Error(`there is no process ${pid}`);
    }
}

// A request that resolves with the response.
function ask(socketPath, path) {
    return new Promise((resolve, reject) => {
        http.get({ socketPath, path, agent: false }, resolve).on('error', reject);
    });
}

async function readText(response) {
    let text = '';
    response.setEncoding('utf8');
    for await (const piece of response)
        text += piece;
    return text;
}

async function isThere(socketPath) {
    try {
        await readText(await ask(socketPath, '/livez'));
        return true;
    } catch (error) {
        if (error.code === 'EACCES' || error.code === 'EPERM')
            throw new Error('only the owner of a process, and root, can look at it');
        return false;
    }
}

// Anyone can create a directory in /tmp, and listen there.
function checkDirectory(directory, uid) {
    const about = fs.lstatSync(directory, { throwIfNoEntry: false });
    if (about && (!about.isDirectory() || about.uid !== uid))
        throw new Error(`${directory} does not belong to the owner of the process`);
}

// Another process does not say when it listens, so try until it does.
async function attach(pid) {
    const { uid, caught } = readStatus(pid);
    const socketPath = `/tmp/weir-${uid}/${pid}.sock`;
    checkDirectory(`/tmp/weir-${uid}`, uid);
    if (await isThere(socketPath))
        return socketPath;
    const { uid: own } = readStatus('self');
    if (own !== 0 && own !== uid)
        throw new Error('only the owner of a process, and root, can look at it');
    if ((caught >> BigInt(SIGNAL - 1) & 1n) === 0n)
        throw new Error(`process ${pid} is not a program that weir runs`);
    process.kill(pid, SIGNAL);
    for (const begin = Date.now(); Date.now() - begin < DEADLINE_MS;) {
        checkDirectory(`/tmp/weir-${uid}`, uid);
        if (await isThere(socketPath))
            return socketPath;
        await new Promise((resolve) => { setTimeout(resolve, PAUSE_MS); });
        readStatus(pid);
    }
    throw new Error(`process ${pid} does not answer`);
}

module.exports = { ask, attach, readText };
