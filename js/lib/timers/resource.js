// SPDX-License-Identifier: MIT
// resource -- PerformanceResourceTiming.
'use strict';

const { coded } = require('core/errors');
const { allowed, describe, PerformanceEntry } = require('timers/entry');
const timeline = require('timers/timeline');

const HEADERS = 300; // bytes that a response has beside its body, by the standard

class PerformanceResourceTiming extends PerformanceEntry {
    #times; #initiator; #cacheMode;

    // times: the standard's "fetch timing info"
    constructor(key, times, url, initiator, cacheMode) {
        super(key, url, 'resource', times?.startTime, times?.endTime - times?.startTime);
        this.#times = times;
        this.#initiator = initiator;
        this.#cacheMode = cacheMode;
    }
    get name() { return super.name; }
    get startTime() { return super.startTime; }
    get duration() { return super.duration; }
    get initiatorType() { return this.#initiator; }
    get workerStart() { return this.#times.finalServiceWorkerStartTime; }
    get redirectStart() { return this.#times.redirectStartTime; }
    get redirectEnd() { return this.#times.redirectEndTime; }
    get fetchStart() { return this.#times.postRedirectStartTime; }
    get #connection() { return this.#times.finalConnectionTimingInfo; }
    get domainLookupStart() { return this.#connection?.domainLookupStartTime; }
    get domainLookupEnd() { return this.#connection?.domainLookupEndTime; }
    get connectStart() { return this.#connection?.connectionStartTime; }
    get connectEnd() { return this.#connection?.connectionEndTime; }
    get secureConnectionStart() { return this.#connection?.secureConnectionStartTime; }
    get nextHopProtocol() { return this.#connection?.ALPNNegotiatedProtocol; }
    get requestStart() { return this.#times.finalNetworkRequestStartTime; }
    get responseStart() { return this.#times.finalNetworkResponseStartTime; }
    get responseEnd() { return this.#times.endTime; }
    get encodedBodySize() { return this.#times.encodedBodySize; }
    get decodedBodySize() { return this.#times.decodedBodySize; }
    get transferSize() {
        return this.#cacheMode === 'local' ? 0
            : this.#cacheMode === 'validated' ? HEADERS
                : this.#times.encodedBodySize + HEADERS;
    }
    toJSON() {
        return Object.fromEntries(['name', 'entryType', 'startTime', 'duration', ...shown]
            .map((key) => [key, this[key]]));
    }
}

const shown = ['initiatorType', 'nextHopProtocol', 'workerStart', 'redirectStart',
    'redirectEnd', 'fetchStart', 'domainLookupStart', 'domainLookupEnd', 'connectStart',
    'connectEnd', 'secureConnectionStart', 'requestStart', 'responseStart', 'responseEnd',
    'transferSize', 'encodedBodySize', 'decodedBodySize'];
describe(PerformanceResourceTiming, 0, ...shown, 'toJSON');

function markResourceTiming(timingInfo, requestedUrl, initiatorType, global, cacheMode) {
    if (cacheMode !== '' && cacheMode !== 'local')
        throw coded(Error, 'ERR_INTERNAL_ASSERTION',
            "cache must be an empty string or 'local'");
    const entry = new PerformanceResourceTiming(allowed, timingInfo, requestedUrl,
        initiatorType, cacheMode);
    timeline.add(entry);
    return entry;
}

module.exports = { PerformanceResourceTiming, markResourceTiming };
