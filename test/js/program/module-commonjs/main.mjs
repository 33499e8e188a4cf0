// CommonJS from ES modules: names, and when it runs.
console.log('main');
import './first.mjs';
import cjs, { a, b } from './cjs.cjs';
import * as ns from './object.cjs';
import defined from './defined.cjs';
import guessed, { hello } from './guessed.js';
console.log(cjs, a, b, Object.keys(ns).sort(), ns.default === ns.default, ns.x, defined, guessed, hello);
console.log(ns);
