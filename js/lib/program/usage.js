// SPDX-License-Identifier: MIT
// usage -- what the process has used, and what it may use: process.cpuUsage and
// kin, and the figures of the heap for v8.
'use strict';

const { checkObject, coded, invalidArgType, invalidArgValue } = require('core/errors');

const names = ['userCPUTime', 'systemCPUTime', 'maxRSS', 'sharedMemorySize', 'unsharedDataSize',
    'unsharedStackSize', 'minorPageFault', 'majorPageFault', 'swappedOut', 'fsRead', 'fsWrite',
    'ipcSent', 'ipcReceived', 'signalsCount', 'voluntaryContextSwitches',
    'involuntaryContextSwitches'];

function resourceUsage() {
    const figures = native.resources();
    return Object.fromEntries(names.map((name, at) => [name, figures[at]]));
}

function checkTime(value, name) {
    if (typeof value !== 'number')
        throw invalidArgType(name, 'of type number', value);
    if (!(value >= 0 && value <= Number.MAX_SAFE_INTEGER))
        throw coded(RangeError, 'ERR_INVALID_ARG_VALUE', invalidArgValue(name, value).message);
}

function cpuUsage(prevValue) {
    const [user, system] = native.resources();
    if (!prevValue)
        return { user, system };
    checkObject(prevValue, 'prevValue');
    checkTime(prevValue.user, 'prevValue.user');
    checkTime(prevValue.system, 'prevValue.system');
    return { user: user - prevValue.user, system: system - prevValue.system };
}

// ---- memory ----

// The number in a kernel file; NaN for "max", and if it cannot be read.
function kernelNumber(...parts) {
    try {
        return Number.parseInt(require('fs/fs').readFileSync(require('fs/path').join(...parts),
            'utf8'));
    } catch {
        return NaN;
    }
}

// The directory of the process in the hierarchy of control groups, version 2.
function controlGroup() {
    try {
        return /^0::(.*)$/m.exec(require('fs/fs').readFileSync('/proc/self/cgroup', 'utf8'))[1];
    } catch {
        return undefined;
    }
}

// The least limit of the groups that the process is in, and what is used there.
function findLimit() {
    let found = { limit: Infinity };
    for (let group = controlGroup(), last; group !== undefined && group !== last;
        [group, last] = [require('fs/path').dirname(group), group]) {
        const at = ['/sys/fs/cgroup', group];
        const limit = kernelNumber(...at, 'memory.max');
        if (limit < found.limit)
            found = { limit, used: kernelNumber(...at, 'memory.current') };
    }
    return found;
}

// As in Node, 2 ** 64 - 1 stands for no limit.
function constrainedMemory() {
    const { limit } = findLimit();
    return limit === Infinity ? 2 ** 64 : limit;
}

function availableMemory() {
    const { limit, used } = findLimit();
    const free = require('system/os').freemem();
    return limit === Infinity ? free : Math.max(0, Math.min(free, limit - used));
}

// The figures of the engine of this thread, by js/program/usage.c.
function heap() {
    const [total, used, buffers, objects, strings, atoms, shapes, functions, bytecode, lines,
        shared, own] = native.heap();
    const limit = own || shared || Math.min(constrainedMemory(),
        require('system/os').totalmem());
    return { total, used, buffers, objects, strings, atoms, shapes, functions, bytecode, lines,
        limit };
}

module.exports = { availableMemory, constrainedMemory, cpuUsage, heap, resourceUsage };
