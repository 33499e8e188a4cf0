// createHistogram: the figures and the errors are Node's.
const { createHistogram, monitorEventLoopDelay } = require('perf_hooks');
const t = (f) => {
    try {
        console.log(f());
    } catch (e) {
        console.log(e.name, e.code, e.message);
    }
};

const h = createHistogram();
t(() => h);
for (const value of [-1, 0, 'x', 1.5, -5n, 0n, 2n ** 62n, 2n ** 64n, undefined, 1, Number.MAX_SAFE_INTEGER])
    t(() => h.record(value));
t(() => h);
t(() => [h.count, h.countBigInt, h.min, h.minBigInt, h.max, h.maxBigInt, h.exceeds, h.exceedsBigInt]);

const small = createHistogram({ lowest: 1, highest: 100, figures: 1 });
for (const value of [50, 99, 100, 101, 120, 127, 128, 200, 5000])
    small.record(value);
t(() => small);
t(() => JSON.stringify(small));
t(() => h.add({}));
t(() => h.add(small));
t(() => h);
t(() => h.percentilesBigInt);
t(() => h.percentiles === h.percentiles);
t(() => small.add(h));
t(() => small);
t(() => small.add(small));
t(() => small);

t(() => createHistogram(5));
t(() => createHistogram({ lowest: 0 }));
t(() => createHistogram({ lowest: 5, highest: 6 }));
t(() => createHistogram({ lowest: 5n, highest: 6n }));
t(() => createHistogram({ lowest: 1n, highest: 50n, figures: 2 }));
t(() => createHistogram({ figures: 6 }));
t(() => createHistogram({ figures: 0 }));
t(() => createHistogram({ highest: 'x' }));
for (const percentile of [0, 101, '5', NaN, -1, 0.0001, 50, 99.9, 100])
    t(() => [h.percentile(percentile), h.percentileBigInt(percentile)]);

const proto = Object.getPrototypeOf(Object.getPrototypeOf(h));
for (const name of Object.getOwnPropertyNames(proto)) {
    const { get, value } = Object.getOwnPropertyDescriptor(proto, name);
    t(() => [name, typeof get, typeof value, value?.length]);
    t(() => !['constructor', 'toJSON'].includes(name) && (get ?? value).call({}));
}
t(() => Object.getOwnPropertyNames(Object.getPrototypeOf(h)));
t(() => h.record.call({}, 1));
t(() => h.recordDelta.call(small.constructor));
t(() => h.reset());
t(() => h);
t(() => [h.recordDelta(), h.count, h.recordDelta(), h.count, h.max < 1e10]);
t(() => new h.constructor());
t(() => new proto.constructor());
t(() => [h.constructor.name, proto.constructor.name, h instanceof proto.constructor,
    Object.prototype.toString.call(h), Object.keys(h), h.constructor.length]);

const m = monitorEventLoopDelay();
t(() => m);
t(() => [m.enable(), m.enable(), m.disable(), m.disable(), m.record]);
t(() => monitorEventLoopDelay({ resolution: 0 }));
t(() => monitorEventLoopDelay({ resolution: 'x' }));
t(() => monitorEventLoopDelay(5));
t(() => new m.constructor());
t(() => m.enable.call({}));
t(() => m.disable.call(h));
t(() => [m.constructor.name, m.constructor.length, m instanceof proto.constructor, Object.keys(m)]);
