// SPDX-License-Identifier: MIT
// signals -- process.on('SIGTERM', ...) and process.kill.
'use strict';

const { coded, invalidArgType } = require('core/errors');

const { watch, unwatch, setFinal, kill: send } = native;
const numbers = { ...native }; // SIGHUP: 1, ...: the enumerable ones
const names = new Map(Object.entries(numbers).map(([name, n]) => [n, name]));

function isSignal(name) {
    return typeof name === 'string' && Object.hasOwn(numbers, name);
}

function failed(syscall, code) {
    return Object.assign(new Error(`${syscall} ${code}`),
        { errno: -require('system/os').constants.errno[code], code, syscall });
}

// A listener that ends the program when it is called a second time.  While a
// signal has no other one, its second arrival ends the program even if
// JavaScript runs and does not return.
const ender = Symbol('ender');

// Watch the signals that have listeners.
function listen(process) {
    process.on('newListener', (name, listener) => {
        if (name === 'SIGKILL' || name === 'SIGSTOP') // these cannot be caught
            throw failed('uv_signal_start', 'EINVAL');
        if (!isSignal(name))
            return;
        const isFirst = process.listenerCount(name) === 0;
        if (isFirst)
            watch(numbers[name]);
        setFinal(numbers[name], isFirst && listener[ender] === true);
    });
    process.on('removeListener', (name) => {
        if (!isSignal(name))
            return;
        if (process.listenerCount(name) === 0)
            unwatch(numbers[name]);
        else
            setFinal(numbers[name], process.listeners(name).every((one) => one[ender] === true));
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
    } catch (error) {
        throw error.code === 'ERR_ACCESS_DENIED' ? error : failed('kill', error.code);
    }
}

module.exports = { attach, ender,
    arrived(process, number) { process.emit(names.get(number), names.get(number), number); } };
