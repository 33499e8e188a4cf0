// SPDX-License-Identifier: MIT
// signals -- process.on('SIGTERM', ...) and process.kill.
'use strict';

const { coded, invalidArgType } = require('core/errors');

const { watch, unwatch, kill: send } = native;
const numbers = { ...native }; // SIGHUP: 1, ...: the enumerable ones
const names = new Map(Object.entries(numbers).map(([name, n]) => [n, name]));

function isSignal(name) {
    return typeof name === 'string' && Object.hasOwn(numbers, name);
}

function failed(syscall, code) {
    return Object.assign(new Error(`${syscall} ${code}`),
        { errno: -require('system/os').constants.errno[code], code, syscall });
}

// Watch the signals that have listeners.
function listen(process) {
    process.on('newListener', (name) => {
        if (name === 'SIGKILL' || name === 'SIGSTOP') // these cannot be caught
            throw failed('uv_signal_start', 'EINVAL');
        if (isSignal(name) && process.listenerCount(name) === 0)
            watch(numbers[name]);
    });
    process.on('removeListener', (name) => {
        if (isSignal(name) && process.listenerCount(name) === 0)
            unwatch(numbers[name]);
    });
}

// Signals go to the main thread; as in Node, a worker receives none.
function attach(process, isMainThread) {
    if (isMainThread)
        listen(process);
    process.kill = function kill(pid, signal) {
        // As in Node, '5' is accepted; but true must not mean process 1.
        if (!['number', 'string'].includes(typeof pid) || pid != (pid | 0))
            throw invalidArgType('pid', 'of type number', pid);
        return deliver(pid | 0, numberOf(signal));
    };
}

function numberOf(signal) {
    if (Number.isInteger(signal) && signal === (signal | 0))
        return signal;
    signal ||= 'SIGTERM';
    if (!isSignal(signal))
        throw coded(TypeError, 'ERR_UNKNOWN_SIGNAL',
            require('util/format').format('Unknown signal: %s', signal));
    return numbers[signal];
}

function deliver(pid, number) {
    try {
        return send(pid, number);
    } catch ({ code }) {
        throw failed('kill', code);
    }
}

module.exports = { attach,
    arrived(process, number) { process.emit(names.get(number), names.get(number), number); } };
