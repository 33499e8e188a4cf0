// SPDX-License-Identifier: MIT
// import -- stands in for a module until import() has loaded it: js/program/import.c.
//
// Each `await` below corresponds to a job that Node takes as well.
'use strict';

const { setImmediate } = require('timers/timers');
const { resolveImport, isRead, prepare, known } = require('program/module');

const reading = new Map(); // id -> promise, shared by all importers

// One turn of the loop each: Node opens, stats, reads and closes the file.
async function turn(count) {
    while (count-- > 0)
        await new Promise((resolve) => setImmediate(() => native.submit(resolve)));
}

async function pass(jobs) {
    while (--jobs > 0)
        await undefined;
}

// Then read what it imports in turn.
async function read(id) {
    await turn(4);
    const depth = known.has(id) ? 1 : prepare(id);
    await turn(4 * (depth - 1));
    return depth;
}

// Returns the depth of its imports; 0 if it is not an ES module, which takes
// only jobs.
async function fetch(id) {
    try {
        if (isRead(id))
            return await read(id);
        await pass(7);
        return 0;
    } finally {
        reading.delete(id);
    }
}

function fetchOnce(id) {
    if (!reading.has(id))
        reading.set(id, fetch(id));
    return reading.get(id);
}

async function load(id, resolve, reject) {
    let depth;
    try {
        if (!known.has(id) || reading.has(id))
            depth = await fetchOnce(id);
        const namespace = await native.loadModule(id, 'weir:import');
        await undefined;
        await undefined;
        resolve(namespace);
    } catch (error) {
        await undefined;
        if (depth !== 0)
            await undefined;
        reject(error);
    }
}

function answer(name, parent, resolve, reject) {
    let id;
    try {
        id = resolveImport(name, parent);
    } catch (error) {
        if (error?.code !== 'ERR_UNKNOWN_BUILTIN_MODULE')
            return reject(error);
        return pass(8).then(() => reject(error));
    }
    return load(id, resolve, reject);
}

// A gate (a stand-in module) serves one import() at a time, and is free again
// once its `then` was called.  If the host was interrupted before that, the
// gate stays in use, so that no other import() gets its answer.
const gates = [], free = [];

function makeGate(index) {
    const gate = {
        request: undefined,
        then(resolve, reject) {
            const [name, parent] = gate.request;
            free.push(index);
            return answer(name, parent, resolve, reject);
        },
    };
    return gate;
}

function ask(name, parent) {
    const index = free.pop() ?? gates.push(makeGate(gates.length)) - 1;
    gates[index].request = [name, parent];
    return index;
}

module.exports = { ask, gates, submit: native.submit };
