// Modules of every kind, loaded one after the other.
import { format } from 'node:util';
import { EventEmitter, once } from 'node:events';
const names = ['node:fs', 'node:path', 'node:os', 'node:util', 'node:url', 'node:buffer', 'node:assert', 'node:worker_threads', 'node:string_decoder', 'weir:pool'];
const emitter = new EventEmitter(), heard = once(emitter, 'event');
let count = 0;
for (const name of names) count += Object.keys(await import(name)).length > 0;
for (let i = 0; i < 30; i++) count += (await import(`data:text/javascript,export let a${i} = ${i}`).catch(() => 0)) === 0;
emitter.emit('event', 1);
await heard;
console.log(format('%d %o', count > 0, { a: new URL('http://a.example/b?c').pathname }), 'done');
