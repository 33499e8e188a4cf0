// Modules that import each other, wait at their top level, and are CommonJS:
// what runs when, and which jobs and ticks come in between.
import './one.mjs';
import './two.mjs';
import common from './common.cjs';
const log = (...words) => console.log(...words);
log('main', common);
process.nextTick(log, 'tick of main');
queueMicrotask(() => log('job of main'));
await new Promise(setImmediate); // Node reads a file that is imported late
const dynamic = import('./late.mjs');
dynamic.then(({ value }) => log('late was imported', value));
log('main waits');
await dynamic;
log('main goes on');
log('the same', await import('./late.mjs') === await dynamic);
await import('./fails.mjs').catch((error) => log('caught', error.message));
await import('./fails.mjs').catch((error) => log('again', error.message));
setImmediate(log, 'immediate of main');
