// package.json: main, exports with conditions and patterns, imports, type.
import { createRequire } from 'module';
import plain from 'plain';
import dual, { kind } from 'dual';
import sub from 'dual/sub/x.js';
import scoped from '@scope/pkg';
import { where } from './inner/where.mjs';
import own from 'self-name';
import internal from '#internal';
import data from './data.json' with { type: 'json' };
import * as path from 'node:path';
import { join, default as whole } from 'path';
const require = createRequire(import.meta.url);
console.log(plain, dual, kind, sub, scoped, where, own, internal, data);
console.log(path.join === join, whole.join === join, path.default === whole);
console.log(require('dual').kind, require('plain') === plain, require('self-name'));
console.log(import.meta.url.startsWith('file:///'), import.meta.url.endsWith('/module-resolution/main.mjs'),
    import.meta.filename.endsWith('main.mjs'), import.meta.dirname.endsWith('module-resolution'));
console.log(import.meta.resolve('./x%20y.mjs?q=1').endsWith('x%20y.mjs?q=1'), import.meta.resolve('path'));
console.log((await import('./x%20y.mjs')).default, (await import('./inner/where.mjs')).where === where);
const a = await import('./count.mjs'), b = await import('./count.mjs?again');
console.log(a.id, b.id, a === await import('./count.mjs'));
for (const name of ['./missing.mjs', 'missing-package', './inner', 'dual/hidden', '#nothing', 'node:nothing', 'http://x/y', 'dual/sub/../x.js'])
    await import(name).catch((error) => console.log(name, error.code));
await import('./broken.mjs').catch((error) => console.log(error.name));
await import('./throws.mjs').catch((error) => console.log(error.message));
await import('./throws.mjs').catch((error) => console.log('again', error.message));
await import('./wrong-name.mjs').catch((error) => console.log(error.name));
await import('./data.json').catch((error) => console.log(error.name));
console.log(typeof this, typeof module, typeof globalThis.require);
