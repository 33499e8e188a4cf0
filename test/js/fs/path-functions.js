const path = require('node:path');
const all = ['', '.', '..', '/', '//', '/a', 'a/', '/a/b.txt', 'a/b/../c', './a', '../a/./b//c/', '/../x', '.bashrc', 'a.b.c', 'a.', 'x/.y', '/a/b/', 'a//b', '/a/..', 'a/..', './', '../'];
for (const p of all)
    console.log(JSON.stringify(p), path.normalize(p), path.dirname(p), path.basename(p), path.extname(p), path.isAbsolute(p), JSON.stringify(path.parse(p)));
for (const args of [[], ['a', 'b'], ['a', '/b'], ['', ''], ['a', '..', 'b'], ['/a', '../..'], ['a', '', 'b/']])
    console.log(path.join(...args), path.resolve('/base', ...args));
for (const [from, to] of [['/a/b', '/a/c'], ['/a', '/a/b/c'], ['/a/b/c', '/'], ['/x', '/x'], ['/ab', '/a']])
    console.log(JSON.stringify(path.relative(from, to)));
console.log(path.basename('a/b.js', '.js'), path.basename('.js', '.js'), path.sep, path.delimiter, path.posix === path);
console.log(path.format({ dir: '/d', base: 'b' }), path.format({ root: '/', name: 'n', ext: 'x' }), path.format({}));
try { path.join(5); } catch (e) { console.log(e.code, e.message); }
for (const p of ['/..', '/../', '/...', '/.', '//..', '/..a', '/a/..', '...'])
    console.log(p, JSON.stringify(path.parse(p)));
// A suffix that ends with the whole name, and slashes behind that.
for (const p of ['/', '//', '///', './', '/a/b/', 'a/b//', 'a/b', 'b/'])
    console.log(p, ['.', '..', 'b', '.b', 'a.b', '/b', 'b/', 'xxxxx'].map((suffix) => JSON.stringify(path.basename(p, suffix))).join(' '));
try { path.format([]); } catch (e) { console.log(e.code, e.message); }
console.log(path._makeLong === path.toNamespacedPath, path.toNamespacedPath(5));
