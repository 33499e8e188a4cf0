// SPDX-License-Identifier: MIT
// utilization -- eventLoopUtilization and nodeTiming.
'use strict';

const { booted, idle, loopBegan, loopEnded, now } = require('timers/clock');
const { PerformanceEntry } = require('timers/entry');
const { custom } = require('util/kinds');

const share = (idle, active) => ({ idle, active, utilization: active / (idle + active) });

// The time that the loop slept and ran; since util1; or from util2 to util1.
function eventLoopUtilization(util1, util2) {
    const began = loopBegan();
    if (began < 0)
        return { idle: 0, active: 0, utilization: 0 };
    if (util2)
        return share(util1.idle - util2.idle, util1.active - util2.active);
    const slept = idle(), active = now() - began - slept;
    return util1 ? share(slept - util1.idle, active - util1.active) : share(slept, active);
}

// In Node these are times since the process began.  Here the engine, and the
// host, are made at timeOrigin.
const timings = { name: () => 'node', entryType: () => 'node', startTime: () => 0,
    duration: now, nodeStart: () => 0, v8Start: () => 0, bootstrapComplete: booted,
    environment: () => 0, loopStart: loopBegan, loopExit: loopEnded, idleTime: idle };

class PerformanceNodeTiming {
    constructor() {
        for (const key of Object.keys(timings))
            Object.defineProperty(this, key, { enumerable: true, configurable: true,
                get: timings[key] });
    }
    toJSON() {
        return Object.fromEntries(Object.keys(timings).map((key) => [key, this[key]]));
    }
    [custom](depth, options, inspect = require('util/inspect').inspect) {
        return depth < 0 ? this : `PerformanceNodeTiming ${inspect(this.toJSON(),
            { ...options, depth: options.depth == null ? null : options.depth - 1 })}`;
    }
}
Object.setPrototypeOf(PerformanceNodeTiming.prototype, PerformanceEntry.prototype);

module.exports = { eventLoopUtilization, nodeTiming: new PerformanceNodeTiming() };
