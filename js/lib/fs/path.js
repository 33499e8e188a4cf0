// SPDX-License-Identifier: MIT
// path -- Node's path, for POSIX; win32.js is for Windows.
'use strict';

const { checkObject, invalidArgType } = require('core/errors');

function check(value, name) {
    if (typeof value !== 'string')
        throw invalidArgType(name, 'of type string', value);
}

// The parts between slashes, without "" and ".", and with ".." applied.
function simplify(path, isAbsolute) {
    const parts = [];
    for (const part of path.split('/')) {
        if (part === '' || part === '.')
            continue;
        if (part !== '..')
            parts.push(part);
        else if (parts.length > 0 && parts.at(-1) !== '..')
            parts.pop();
        else if (!isAbsolute)
            parts.push('..');
    }
    return parts.join('/');
}

function normalize(path) {
    check(path, 'path');
    if (path === '')
        return '.';
    const isAbs = path[0] === '/';
    let text = simplify(path, isAbs);
    if (text === '' && !isAbs)
        return path.endsWith('/') ? './' : '.';
    if (text !== '' && path.endsWith('/'))
        text += '/';
    return isAbs ? `/${text}` : text;
}

function resolve(...paths) {
    let whole = '';
    for (let i = paths.length - 1; i >= -1 && whole[0] !== '/'; i--) {
        const path = i >= 0 ? paths[i] : require('program/process').cwd();
        check(path, `paths[${i}]`);
        if (path !== '')
            whole = whole === '' ? path : `${path}/${whole}`;
    }
    return `/${simplify(whole, true)}`;
}

function join(...paths) {
    for (const path of paths)
        check(path, 'path');
    const whole = paths.filter((path) => path !== '').join('/');
    return whole === '' ? '.' : normalize(whole);
}

function trimEnd(path) {
    let end = path.length;
    while (end > 1 && path[end - 1] === '/')
        end--;
    return path.slice(0, end);
}

function dirname(path) {
    check(path, 'path');
    if (path === '')
        return '.';
    const whole = trimEnd(path), at = whole.lastIndexOf('/');
    if (at < 0)
        return '.';
    if (whole === '/')
        return '/';
    return at === 0 ? '/' : at === 1 && whole[0] === '/' ? '//'
        : whole.slice(0, at);
}

function basename(path, suffix) {
    if (suffix !== undefined)
        check(suffix, 'suffix');
    check(path, 'path');
    if (suffix === path)
        return '';
    const whole = trimEnd(path);
    const name = whole === '/' ? '' : whole.slice(whole.lastIndexOf('/') + 1);
    if (!suffix || name === suffix || suffix.length > path.length)
        return name;
    // If the suffix ends with the whole name, Node keeps the slashes behind it.
    if (suffix.endsWith(name))
        return name === '' ? path : path.slice(whole.length - name.length);
    return name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
}

function extname(path) {
    const name = basename(path), at = name.lastIndexOf('.');
    return at <= 0 || name === '..' ? '' : name.slice(at);
}

function relative(from, to) {
    check(from, 'from');
    check(to, 'to');
    const a = resolve(from).split('/').filter(Boolean);
    const b = resolve(to).split('/').filter(Boolean);
    let same = 0;
    while (same < a.length && same < b.length && a[same] === b[same])
        same++;
    return [...a.slice(same).map(() => '..'), ...b.slice(same)].join('/');
}

function parse(path) {
    check(path, 'path');
    const root = path[0] === '/' ? '/' : '';
    const base = basename(path), whole = trimEnd(path);
    const head = whole.slice(0, whole.length - base.length);
    // Node treats the second dot of "/.." as an extension.
    const ext = whole === '/..' ? '.' : extname(path);
    const dir = head === root ? root : head.slice(0, -1);
    return { root, dir, base, ext, name: ext ? base.slice(0, -ext.length) : base };
}

function format(object) {
    checkObject(object, 'pathObject');
    const dir = object.dir || object.root;
    const ext = object.ext ? `${object.ext[0] === '.' ? '' : '.'}${object.ext}` : '';
    const base = object.base || `${object.name || ''}${ext}`;
    return !dir ? base : dir === object.root ? `${dir}${base}` : `${dir}/${base}`;
}

function isAbsolute(path) {
    check(path, 'path');
    return path[0] === '/';
}

function matchesGlob(path, pattern) {
    check(path, 'path');
    check(pattern, 'pattern');
    return require('fs/patterns').compile(pattern).match(path);
}

const posix = module.exports = {
    resolve, normalize, isAbsolute, join, relative,
    toNamespacedPath: (path) => path,
    dirname, basename, extname, format, parse, matchesGlob, sep: '/', delimiter: ':',
};
posix.posix = posix;
posix._makeLong = posix.toNamespacedPath;
Object.defineProperty(posix, 'win32', {
    get() {
        const win32 = require('fs/win32');
        Object.assign(win32, { win32, posix });
        Object.defineProperty(posix, 'win32', { value: win32, writable: true });
        return win32;
    },
    enumerable: true, configurable: true,
});
