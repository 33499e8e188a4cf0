// Builtins imported by their names; URLs of modules.
import { Buffer } from 'buffer';
import assert, { strictEqual, AssertionError } from 'assert';
import strict from 'node:assert/strict';
import url, { fileURLToPath, pathToFileURL, URL as U } from 'node:url';
import { once, on, EventEmitter } from 'events';
import EE from 'node:events';
import { StringDecoder } from 'string_decoder';
import { performance as p } from 'perf_hooks';
import * as crypto from 'crypto';
import util, { parseArgs, TextDecoder as TD, types } from 'util';
import { createRequire } from 'module';
import { isPromise } from 'node:util/types';
console.log(Buffer === globalThis.Buffer, strict === assert.strict, U === URL, EE === EventEmitter, TD === TextDecoder, p === performance, typeof crypto.randomInt, isPromise === types.isPromise);
console.log(fileURLToPath(import.meta.url) === import.meta.filename, pathToFileURL(import.meta.filename).href === import.meta.url);
console.log(new URL('./x.js?y#z', import.meta.url).href.endsWith('/x.js?y#z'));
console.log(createRequire(import.meta.url)('buffer').Buffer === Buffer, createRequire(new URL(import.meta.url))('url') === url);
try { strictEqual(1, 2); } catch (e) { console.log(e instanceof AssertionError, e instanceof assert.AssertionError); }
try { assert(false); } catch (e) { console.log(e.message); }
try { (await import(new URL('./missing.mjs', import.meta.url))); } catch (e) { console.log(e.code); }
console.log(Object.keys(await import('string_decoder')), await import(pathToFileURL(fileURLToPath(new URL('./a%20name.mjs', import.meta.url)))).then((m) => m.default));
console.log(structuredClone(new Error('x', { cause: Buffer.from('a') })).cause, isFinite(p.now()));
try { structuredClone(new URL('http://a')); } catch (e) { console.log(e.name); }
console.log(`${new URL('http://a')} ${new URLSearchParams({ a: 1 })}`);
