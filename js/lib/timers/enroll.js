// SPDX-License-Identifier: MIT
// timers/enroll -- the old way to give an object a timer: its `_onTimeout` is
// called after `_idleTimeout` milliseconds.
'use strict';

const { setTimeout, clearTimeout } = require('timers/timers');
const { invalidArgType, outOfRange } = require('core/errors');

const running = new WeakMap(); // object -> Timeout
const MOST_MS = 2 ** 31 - 1;
const warned = new Set();

function warn(name, code, instead) {
    if (!warned.has(code))
        require('program/process').emitWarning(`timers.${name}() is deprecated. ${instead}`,
            'DeprecationWarning', code);
    warned.add(code);
}

function stop(item) {
    clearTimeout(running.get(item));
    running.delete(item);
}

function durationOf(value) {
    if (typeof value !== 'number')
        throw invalidArgType('msecs', 'of type number', value);
    if (value < 0 || !Number.isFinite(value))
        throw outOfRange('msecs', 'a non-negative finite number', value);
    if (value <= MOST_MS)
        return value;
    require('program/process').emitWarning(`${value} does not fit into a 32-bit signed ` +
        `integer.\nTimer duration was truncated to ${MOST_MS}.`, 'TimeoutOverflowWarning');
    return MOST_MS;
}

function enroll(item, msecs) {
    warn('enroll', 'DEP0095', 'Please use setTimeout instead.');
    msecs = durationOf(msecs);
    stop(item);
    item._idleTimeout = msecs;
}

function unenroll(item) {
    warn('unenroll', 'DEP0096', 'Please use clearTimeout instead.');
    stop(item);
    item._idleTimeout = -1;
}

function start(item, isReferenced) {
    const after = item._idleTimeout;
    stop(item);
    if (after === undefined || after < 0)
        return;
    const timer = setTimeout(() => {
        running.delete(item);
        item._onTimeout?.();
    }, after);
    if (!isReferenced)
        timer.unref();
    running.set(item, timer);
}

function active(item) {
    warn('active', 'DEP0126', 'Please use timeout.refresh() instead.');
    start(item, true);
}

function _unrefActive(item) {
    warn('_unrefActive', 'DEP0127', 'Please use timeout.refresh() instead.');
    start(item, false);
}

module.exports = { active, enroll, unenroll, _unrefActive };
