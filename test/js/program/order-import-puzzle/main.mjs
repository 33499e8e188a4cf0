// import() among next-ticks, promises and immediates, in a module: of what is
// loaded already, of what is not, twice at once, and of what fails.
import './loaded.mjs';
const log = (...words) => console.log(...words);
const puzzle = (name) => {
    process.nextTick(() => {
        log(name, 'tick');
        queueMicrotask(() => log(name, 'job of tick'));
        import('./loaded.mjs').then(() => log(name, 'loaded, from a tick'));
    });
    import('./loaded.mjs').then(({ value }) => {
        log(name, 'loaded', value);
        process.nextTick(log, name, 'tick of loaded');
    });
    import('node:path').then(() => log(name, 'path'));
    import('node:path').then(() => log(name, 'path again'));
    import('./common.cjs').then(({ default: value }) => log(name, value));
    Promise.resolve().then(() => import('./common.cjs')).then(() => log(name, 'common again'));
    import('./none.mjs').catch(({ code }) => log(name, code));
    let left = 20;
    (function job() {
        if (left-- > 0)
            queueMicrotask(job);
        if (left % 5 === 0)
            log(name, 'job', left);
    })();
    setImmediate(() => {
        log(name, 'immediate');
        process.nextTick(log, name, 'tick of immediate');
    });
};
puzzle('first');
await new Promise(setImmediate);
log('---');
puzzle('second');
await new Promise(setImmediate);
log('---');
import('./late.mjs').then(() => log('late was imported'));
import('./late.mjs').then(() => log('late once more'));
setImmediate(() => log('immediate before late'));
process.nextTick(() => log('tick before late'));
const { value } = await import('./late.mjs');
log('late', value);
