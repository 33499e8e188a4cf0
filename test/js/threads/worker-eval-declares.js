// The text of a worker is a script: it may declare what a CommonJS module has as
// parameters, and is then not taken for an ES module.
'use strict';
const { Worker } = require('worker_threads');

const texts = [
    'const __filename = 1; console.log(__filename, typeof require);',
    'const require = 2, module = 3; console.log(require, module);',
    'let exports = 4; class __dirname {} console.log(exports, typeof __dirname);',
    'import fs from "fs"; console.log(typeof fs, typeof require);',
    'const __filename = await 5; console.log(__filename);',
];
(function next() {
    if (texts.length > 0)
        new Worker(texts.shift(), { eval: true }).on('exit', next)
            .on('error', (error) => console.log(error.name));
})();
