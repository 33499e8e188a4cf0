// SPDX-License-Identifier: MIT
// perfhooks -- the module perf_hooks.
'use strict';

const { performance, Performance, PerformanceMark, PerformanceMeasure } =
    require('timers/performance');
const { PerformanceEntry } = require('timers/entry');
const { createHistogram, monitorEventLoopDelay } = require('timers/histogram');
const { PerformanceObserver, PerformanceObserverEntryList } = require('timers/observer');
const { PerformanceResourceTiming } = require('timers/resource');

// Of entries of type gc, which this engine does not have.
const constants = { NODE_PERFORMANCE_GC_MAJOR: 4, NODE_PERFORMANCE_GC_MINOR: 1,
    NODE_PERFORMANCE_GC_INCREMENTAL: 8, NODE_PERFORMANCE_GC_WEAKCB: 16,
    NODE_PERFORMANCE_GC_FLAGS_NO: 0, NODE_PERFORMANCE_GC_FLAGS_CONSTRUCT_RETAINED: 2,
    NODE_PERFORMANCE_GC_FLAGS_FORCED: 4,
    NODE_PERFORMANCE_GC_FLAGS_SYNCHRONOUS_PHANTOM_PROCESSING: 8,
    NODE_PERFORMANCE_GC_FLAGS_ALL_AVAILABLE_GARBAGE: 16,
    NODE_PERFORMANCE_GC_FLAGS_ALL_EXTERNAL_MEMORY: 32,
    NODE_PERFORMANCE_GC_FLAGS_SCHEDULE_IDLE: 64 };
for (const name of Object.keys(constants))
    Object.defineProperty(constants, name, { writable: false, configurable: false });

module.exports = { Performance, PerformanceEntry, PerformanceMark, PerformanceMeasure,
    PerformanceObserver, PerformanceObserverEntryList, PerformanceResourceTiming,
    monitorEventLoopDelay, createHistogram, performance };
Object.defineProperty(module.exports, 'constants', { value: constants, enumerable: true });
