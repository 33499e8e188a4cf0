const lib = require('./lib');
console.log(lib.name, require('./lib/index.js') === lib, require('./lib/') === lib);
console.log(require('./data'), require('./data.json') === require('./data'));
console.log(require('dep'), require('dep/sub'), require('dep/sub/file'));
console.log(require.resolve('./lib') === require.resolve('./lib/index'), require.resolve('path'), require.resolve.paths('dep').length > 1);
console.log(module.id, module.loaded, module.filename === __filename, module.exports === exports, this === exports, require.main === module);
console.log(module.children.length > 0, Object.keys(require.cache).length > 3, module.paths[0].endsWith('commonjs-basics/node_modules'));
for (const name of ['./missing', 'missing', '', 'dep/none', './bad.json', './throws', 'node:none', 5])
    try { require(name); } catch (error) { console.log(name, error.name, error.code, error.message.split('\n')[0].replace(/\/.*\//g, '').replace(/: Expected.*/, '')); }
try { require('./missing'); } catch (error) { console.log(error.requireStack.length); }
for (const name of ['exporting/none', '#none'])
    try { require(name); } catch (error) { console.log(error.code, error.message.replaceAll(__dirname, '.').split('\n')[0], error.path?.replace(__dirname, '.'), error.requireStack?.length); }
console.log(module.parent, require('./lib').name !== undefined);
require('./throws-once'); 
delete require.cache[require.resolve('./counter')]; const one = require('./counter'); delete require.cache[require.resolve('./counter')];
console.log(one.n, require('./counter').n, require('./counter') === require('./counter'));
console.log(typeof require('process').exit, require('module').builtinModules.includes('path'), require('timers').setTimeout === setTimeout);
console.log((function () { return typeof this; })(), arguments.length, typeof __dirname);
import('./esm.mjs').then(({ default: value }) => console.log('imported', value));
import('./lib/index.js').then((ns) => console.log(ns.default === lib, ns.name, Object.keys(ns).includes('name')));
return console.log('a module may return');
