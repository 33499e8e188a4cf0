// Paths of Windows, on any system.
'use strict';
const path = require('path');
const { win32 } = path;

console.log(Object.keys(win32).filter((key) => key !== 'matchesGlob').sort().join(), win32.win32 === win32, win32.posix === path,
    require('path/win32') === win32, win32.sep, win32.delimiter);

const given = ['', '.', '..', 'a', 'a.b', '.b', 'a.', 'a/b', 'a\\b\\', '..\\a', 'a\\..\\b', 'C:', 'C:\\', 'C:/',
    'C:a', 'C:..', 'c:\\a\\..\\..\\b.txt', 'D:\\x\\y.z\\', '\\', '\\\\', '\\a', '/a/b', '\\\\server',
    '\\\\server\\share', '\\\\server\\share\\', '//server/share/a/..\\b', '\\\\?\\C:\\a', '\\\\.\\pipe\\p',
    'CON:', 'a\\CON:..\\b', 'C:\\CON:x', 'file:stream', 'a:b\\c', '..\\..\\C:\\a', 'COM1:..\\a', 'name\\C:'];
for (const one of given)
    console.log(JSON.stringify([one, win32.normalize(one), win32.dirname(one), win32.basename(one),
        win32.extname(one), win32.isAbsolute(one), win32.parse(one), win32.basename(one, '.b')]));
for (const [a, b] of [['C:\\a', 'b'], ['C:\\a', '..\\b'], ['C:\\a', 'D:\\b'],
    ['\\\\s\\t\\u', '..\\..\\v'], ['C:\\', '\\a'], ['c:/x', '//srv/shr/y']])
    console.log(win32.resolve(a, b), win32.toNamespacedPath(win32.resolve(a, b)));
for (const parts of [[], [''], ['a', '', 'b'], ['/', '/a'], ['//', 'a'], ['//a', 'b'], ['\\\\a\\b', 'c'], ['C:', 'a'],
    ['C:\\', '..', 'a'], ['a', '..\\..', 'b'], ['.\\a', 'C:\\b'], ['', '', '\\a']])
    console.log(JSON.stringify(win32.join(...parts)));
for (const [a, b] of [['C:\\a\\b', 'C:\\a\\c'], ['C:\\a', 'D:\\a'], ['C:\\A\\b', 'c:\\a\\B\\d'], ['C:\\', 'C:\\a'],
    ['C:\\a', 'C:\\'], ['\\\\s\\t\\a', '\\\\s\\t\\b'], ['\\\\s\\t', '\\\\x\\t\\a'], ['C:\\ab', 'C:\\abc']])
    console.log(JSON.stringify(win32.relative(a, b)));
for (const object of [{}, { dir: 'C:\\a', base: 'b' }, { root: 'C:\\', name: 'x', ext: 'y' }, { root: 'C:\\', dir: 'C:\\', base: 'f' }])
    console.log(JSON.stringify(win32.format(object)));
for (const bad of [() => win32.normalize(5), () => win32.join('a', null), () => win32.resolve('C:\\', {}),
    () => win32.relative('a'), () => win32.basename('a', 1), () => win32.format('x'), () => win32.toNamespacedPath(7)])
    try {
        console.log(bad());
    } catch (error) {
        console.log(error.code, error.message);
    }
