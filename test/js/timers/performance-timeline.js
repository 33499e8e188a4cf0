// performance: marks, measures, the timeline.
while (performance.now() < 10); // marks below are at 5 and 9 ms: now is after them
const t = (f) => {
    try {
        console.log(f());
    } catch (e) {
        console.log(e.name, e.code, e.message);
    }
};
t(() => performance.toString());
t(() => performance instanceof EventTarget);
t(() => performance.constructor.name);
const p = performance;
t(() => Object.keys(p.mark('a')));
t(() => p.mark('a', { startTime: 5, detail: { x: 1 } }));
t(() => p.mark());
t(() => p.mark('a', { startTime: -1 }));
t(() => p.mark('a', { startTime: 'x' }));
t(() => p.mark('a', 5));
t(() => p.mark('b', null).name);
t(() => p.mark('nodeStart'));
t(() => p.measure('m', { start: 1, end: 3 }));
t(() => p.measure('m', { start: 1, duration: 3, detail: 5 }));
t(() => p.measure('m', { start: 1, duration: 3, end: 4 }));
t(() => p.measure('m', 'zzz'));
t(() => p.measure());
t(() => p.measure('m', 'a', 'a').duration);
t(() => p.measure(5));
t(() => p.measure('m', { start: 'a', end: 9 }).duration);
t(() => p.measure('m', { end: 9 }, 'a'));
t(() => p.measure('x', undefined, 'a').startTime);
t(() => p.measure('x', { start: {} }));
t(() => p.getEntriesByName('a').length + ' ' + p.getEntriesByType('measure').length + ' ' + p.getEntries().length);
t(() => p.getEntriesByName());
t(() => p.getEntriesByType());
t(() => p.getEntriesByName('a', 'measure'));
t(() => p.getEntriesByType('zzz'));
t(() => p.clearMarks('a'));
t(() => p.getEntries().map((e) => e.entryType + e.name).join());
t(() => p.clearMeasures());
t(() => p.clearMarks());
t(() => p.getEntries());
t(() => typeof p.toJSON().timeOrigin);
t(() => p.mark('j', { startTime: 1 }).toJSON());
t(() => new PerformanceMark('z', { startTime: 2 }));
t(() => new PerformanceEntry());
t(() => new PerformanceMeasure());
t(() => new PerformanceMark());
t(() => new Performance());
t(() => p.getEntries().length);
t(() => p.now.call({}));
t(() => p.mark.call({}, 'a'));
t(() => Object.prototype.toString.call(p.mark('q')));
t(() => p.measure('n', { start: 0, end: 1 }).detail);
t(() => p.mark('n').detail);
t(() => Object.getOwnPropertyNames(PerformanceEntry.prototype));
t(() => Object.getOwnPropertyNames(PerformanceMark.prototype));
t(() => Object.getOwnPropertyNames(PerformanceMeasure.prototype));
t(() => p.timeOrigin > 1e12);
t(() => require('perf_hooks').performance === performance);
t(() => [p.mark.length, p.measure.length, p.getEntriesByName.length, p.clearMarks.length, p.now.length]);
t(() => p.measure('m', { end: 5, duration: 1 }));
t(() => p.measure('m', { start: -1 }));
t(() => p.mark('a', { detail: () => {} }));
t(() => p.clearMarks('nodeStart'));
const before = p.now();
setTimeout(() => {
    const passed = p.now() - before;
    console.log(passed >= 20);
}, 20);
t(() => performance.mark('null', { startTime: null }).startTime > 0);
t(() => performance.mark('array', []));
