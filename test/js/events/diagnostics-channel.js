// Channels, stores that they enter, and the events around a call.
const diagnostics = require('node:diagnostics_channel');
const { channel, tracingChannel } = diagnostics;

console.log(Object.keys(diagnostics));
const news = channel('news'), symbol = Symbol('s');
console.log(news === channel('news'), news instanceof diagnostics.Channel, news.name,
    channel(symbol).name, diagnostics.hasSubscribers('news'), diagnostics.hasSubscribers('none'));

const hear = (message, name) => {
    console.log('heard', message, name);
    news.subscribe(late);
};
const late = (message) => console.log('late', message);
diagnostics.subscribe('news', hear);
console.log(news.hasSubscribers, news.publish({ a: 1 }));
news.publish(2);
console.log(diagnostics.unsubscribe('news', hear), news.unsubscribe(hear),
    news.unsubscribe(late), news.unsubscribe(late), news.unsubscribe(late), news.hasSubscribers);

// Stores: whatever has a run(); the last is outermost.
const store = (name) => ({ run(value, fn) {
    console.log('enter', name, value);
    try { return fn(); } finally { console.log('leave', name); }
} });
const [first, second] = [store('first'), store('second')];
news.bindStore(first);
news.bindStore(second, (message) => ({ message }));
console.log(news.runStores('m', function (...args) { return [this.x, ...args]; }, { x: 1 }, 2, 3));
console.log(news.hasSubscribers, news.unbindStore(first), news.unbindStore(first), news.unbindStore(second));
console.log(news.runStores('quiet', () => 'ran'));

for (const wrong of [() => channel(1), () => news.subscribe(1), () => tracingChannel(1),
    () => diagnostics.subscribe('x')])
    try {
        wrong();
    } catch (error) {
        console.log(error.code, error.message);
    }

const trace = tracingChannel('call');
console.log(trace, trace.start.name, trace.asyncEnd === channel('tracing:call:asyncEnd'));
console.log(trace.traceSync((a) => a, {}, null, 'untraced'), trace.hasSubscribers);
const handlers = {};
for (const event of ['start', 'end', 'asyncStart', 'asyncEnd', 'error'])
    handlers[event] = (context) => console.log(event, { ...context,
        error: context.error?.message });
trace.subscribe(handlers);
console.log(trace.hasSubscribers);
console.log(trace.traceSync(function (a) { return this + a; }, { id: 1 }, 1, 2));
try {
    trace.traceSync(() => { throw new Error('sync'); });
} catch (error) {
    console.log(error.message);
}
trace.traceCallback((a, done) => setImmediate(done, null, a * 2), -1, { id: 2 }, null, 4,
    (error, value) => console.log('called', error, value));
try {
    trace.traceCallback(() => {}, 0, {}, null, 1);
} catch (error) {
    console.log(error.code, error.message);
}
trace.traceCallback((done) => done(new Error('callback')), 0, { id: 3 }, null,
    (error) => console.log('called', error.message));

(async () => {
    console.log(await trace.tracePromise(async (a) => a, { id: 4 }, null, 'value'));
    await trace.tracePromise(() => Promise.reject(new Error('async')), { id: 5 })
        .catch((error) => console.log('caught', error.message));
    console.log(await trace.tracePromise(() => 'no promise', { id: 6 }));
    await new Promise(setImmediate);
    console.log(trace.unsubscribe(handlers), trace.unsubscribe(handlers), trace.hasSubscribers);

    process.on('uncaughtException', (error) => console.log('uncaught', error.message));
    news.subscribe(() => { throw new Error('listener'); });
    news.subscribe(() => console.log('next listener'));
    news.publish();
    news.bindStore(first, () => { throw new Error('transform'); });
    console.log(news.runStores('m', () => 'ran'));
})();
