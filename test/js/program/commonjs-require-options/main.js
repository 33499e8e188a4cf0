// require.cache, require.extensions and the options of require.resolve.
'use strict';
const path = require('path');

const attempt = (name, run) => {
    try {
        console.log(name, run());
    } catch (error) {
        console.log(name, error.name, error.code, error.message.split('\n')[0]);
    }
};

require.cache.fs = { exports: 'own fs' };
console.log(require('fs'), typeof require('node:fs'));
delete require.cache.fs;
console.log(typeof require('fs'));

require.extensions['.own.ext'] = (module) => { module.exports = 'own.ext'; };
require.extensions['.own'] = (module, file) => { module.exports = `own ${path.basename(file)}`; };
for (const name of ['a.own.ext', 'b.own', 'c.unknown.own', 'd.x.js', '.hidden.js', 'a', 'b', 'd.x', 'c'])
    attempt(name, () => require(`./${name}`));

for (const paths of [undefined, null, 'x', {}, [], [__dirname], [1], 5, ['/absent', __dirname]])
    attempt(String(JSON.stringify(paths)).replaceAll(__dirname, 'HERE'), () => path.basename(require.resolve('./b.own', { paths })));
for (const name of [5, undefined, null]) {
    attempt('resolve', () => require.resolve(name));
    attempt('paths', () => require.resolve.paths(name));
}
attempt('paths', () => require.resolve.paths('fs'));
