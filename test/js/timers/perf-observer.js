// PerformanceObserver: what is delivered, when, and the errors.
const { performance, PerformanceObserver, PerformanceObserverEntryList,
    PerformanceResourceTiming } = require('perf_hooks');
const t = (f) => {
    try {
        console.log(f());
    } catch (e) {
        console.log(e.name, e.code, e.message);
    }
};
const at = (name, startTime) => performance.mark(name, { startTime });

t(() => new PerformanceObserver());
t(() => new PerformanceObserverEntryList());
t(() => new PerformanceResourceTiming());
const idle = new PerformanceObserver(() => console.log('never'));
t(() => idle);
for (const options of [undefined, 5, {}, { entryTypes: 5 }, { entryTypes: null },
    { type: 'mark', entryTypes: ['mark'] }, { type: 'zzz' }, { entryTypes: ['zzz'] }])
    t(() => new PerformanceObserver(() => {}).observe(options));
t(() => {
    const one = new PerformanceObserver(() => {});
    one.observe({ type: 'mark' });
    one.observe({ entryTypes: ['mark'] });
});
t(() => {
    const many = new PerformanceObserver(() => {});
    many.observe({ entryTypes: ['mark'] });
    many.observe({ type: 'mark' });
});
t(() => Object.isFrozen(PerformanceObserver.supportedEntryTypes));
t(() => ['function', 'mark', 'measure', 'resource']
    .every((type) => PerformanceObserver.supportedEntryTypes.includes(type)));
for (const value of [PerformanceObserver, PerformanceObserverEntryList, PerformanceResourceTiming]) {
    t(() => [value.name, value.length, Object.prototype.toString.call(value.prototype),
        globalThis[value.name] === value]);
    t(() => Object.getOwnPropertyNames(value.prototype).map((key) => {
        const d = Object.getOwnPropertyDescriptor(value.prototype, key);
        return `${key} ${d.enumerable} ${typeof d.get} ${d.value?.length}`;
    }));
}

at('early', 3);
const watch = new PerformanceObserver(function (list, self) {
    console.log(this === self, self === watch, list instanceof PerformanceObserverEntryList);
    console.log(list.getEntries().map((e) => `${e.entryType} ${e.name}`));
    console.log(list.getEntriesByType('measure').length, list.getEntriesByName('b').length,
        list.getEntriesByName('b', 'measure').length, list.getEntriesByType('zzz'));
    t(() => list.getEntriesByName());
    t(() => list.getEntriesByType());
    console.log(list);
    console.log(self);
    self.disconnect();
    console.log(self);
    at('unseen', 1);
});
watch.observe({ entryTypes: ['measure', 'mark', 'zzz'] });
at('b', 9);
at('a', 5);
performance.measure('m', { start: 1, end: 3 });
console.log(watch);

const buffered = new PerformanceObserver((list) => {
    console.log('buffered', list.getEntries().map((e) => e.name));
    buffered.disconnect();
});
buffered.observe({ type: 'mark', buffered: true });
at('c', 2);

const taken = new PerformanceObserver((list) => console.log('taken', list.getEntries().length));
taken.observe({ type: 'measure' });
performance.measure('n', { start: 1, end: 2 });
console.log(taken.takeRecords().map((e) => e.name), taken.takeRecords());

setImmediate(() => setImmediate(() => {
    taken.disconnect();

    // ---- resources ----
    const info = { startTime: 1, endTime: 9, postRedirectStartTime: 2, encodedBodySize: 10,
        decodedBodySize: 20, finalServiceWorkerStartTime: 0, redirectStartTime: 0,
        redirectEndTime: 0, finalNetworkRequestStartTime: 3, finalNetworkResponseStartTime: 4,
        finalConnectionTimingInfo: { domainLookupStartTime: 2, domainLookupEndTime: 2,
            connectionStartTime: 2, connectionEndTime: 3, secureConnectionStartTime: 0,
            ALPNNegotiatedProtocol: 'h2' } };
    const resource = performance.markResourceTiming(info, 'http://x/', 'fetch', globalThis, '');
    console.log(resource);
    console.log(resource.toJSON(), resource.transferSize, Object.keys(resource));
    console.log(performance.markResourceTiming(info, 'http://y/', 'fetch', globalThis, 'local').transferSize);
    console.log(performance.getEntriesByType('resource').map((e) => e.name));
    performance.clearResourceTimings('http://x/');
    console.log(performance.getEntriesByType('resource').map((e) => e.name));
    t(() => performance.setResourceTimingBufferSize());
    performance.setResourceTimingBufferSize(2);
    performance.onresourcetimingbufferfull = (event) => {
        console.log(event.type, performance.getEntriesByType('resource').length);
        performance.setResourceTimingBufferSize(3);
    };
    for (let i = 0; i < 4; i++)
        performance.markResourceTiming(info, `http://${i}/`, 'fetch', globalThis, '');
    setImmediate(() => {
        console.log(performance.getEntriesByType('resource').map((e) => e.name));
        performance.clearResourceTimings();
        console.log(performance.getEntriesByType('resource'));
    });
}));
