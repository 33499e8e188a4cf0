// SPDX-License-Identifier: MIT
// win32 -- Node's path for Windows, on any system.
//
// A path has a root: a device ("C:", "\\server\share", or nothing), and perhaps
// a separator.  The rest is its tail.
'use strict';

const { checkObject, invalidArgType } = require('core/errors');

function check(value, name) {
    if (typeof value !== 'string')
        throw invalidArgType(name, 'of type string', value);
}

const isSeparator = (char) => char === '\\' || char === '/';
const isLetter = (char) => char !== undefined && /^[a-z]$/i.test(char);
const separators = /[\\/]/;
const reserved = /^(con|prn|aux|nul|com[1-9\xb9\xb2\xb3]|lpt[1-9\xb9\xb2\xb3])$/i;

// Whether the part before the first ":" is the name of a device of DOS.
const isReserved = (path) => {
    const colon = path.indexOf(':');
    return colon >= 0 && reserved.test(path.slice(0, colon));
};

// "\\server\share": the device, where it ends, and whether that is all.
function uncOf(path) {
    const match = /^[\\/]{2}([^\\/]+)[\\/]+([^\\/]+)/.exec(path);
    if (match === null)
        return undefined;
    return { server: match[1], device: `\\\\${match[1]}\\${match[2]}`, end: match[0].length,
        isWhole: match[0].length === path.length };
}

// The device, whether a separator follows, and where the tail begins.
function split(path) {
    if (isSeparator(path[0])) {
        const unc = isSeparator(path[1]) ? uncOf(path) : undefined;
        if (unc === undefined)
            return { device: '', isAbsolute: true, end: 1 };
        if (unc.server === '.' || unc.server === '?')
            return { device: `\\\\${unc.server}`, isAbsolute: true, end: 4 };
        return { device: unc.device, isAbsolute: true, end: unc.end, isWhole: unc.isWhole };
    }
    if (!isLetter(path[0]) || path[1] !== ':')
        return { device: '', isAbsolute: false, end: 0 };
    const isAbsolute = isSeparator(path[2]);
    return { device: path.slice(0, 2), isAbsolute, end: isAbsolute ? 3 : 2 };
}

// The parts between separators, without "" and ".", and with ".." applied.
function simplify(path, isAbsolute) {
    const parts = [];
    for (const part of path.split(separators)) {
        if (part === '' || part === '.')
            continue;
        if (part !== '..')
            parts.push(part);
        else if (parts.length > 0 && parts.at(-1) !== '..')
            parts.pop();
        else if (!isAbsolute)
            parts.push('..');
    }
    return parts.join('\\');
}

// What looks like a drive must not become one, as ".\\..\\C:" would.
function guard(path, tail, isAbsolute) {
    if (isAbsolute || !path.includes(':'))
        return tail;
    if (isLetter(tail[0]) && tail[1] === ':')
        return `.\\${tail}`;
    for (let colon = path.indexOf(':'); colon >= 0; colon = path.indexOf(':', colon + 1))
        if (colon === path.length - 1 || isSeparator(path[colon + 1]))
            return `.\\${tail}`;
    return tail;
}

// "CON:..." names a device of DOS, unless something precedes it.
function normalizeReserved(path) {
    const end = path.indexOf(':') + 1, tail = simplify(path.slice(end), false) || '.';
    return `.\\${path.slice(0, end)}${tail}${isSeparator(path.at(-1)) ? '\\' : ''}`;
}

function normalize(path) {
    check(path, 'path');
    if (path === '')
        return '.';
    if (path.length === 1)
        return path === '/' ? '\\' : path;
    if (isReserved(path))
        return normalizeReserved(path);
    const { device, isAbsolute, end, isWhole } = split(path);
    if (isWhole)
        return `${device}\\`;
    let tail = end < path.length ? simplify(path.slice(end), isAbsolute) : '';
    if (tail === '' && !isAbsolute)
        tail = '.';
    if (tail !== '' && isSeparator(path.at(-1)))
        tail += '\\';
    if (device === '')
        tail = guard(path, tail, isAbsolute);
    return `${device}${isAbsolute ? '\\' : ''}${tail}`;
}

function resolve(...paths) {
    const { cwd, env } = require('program/process');
    let device = '', tail = '', isAbsolute = false;
    for (let i = paths.length - 1; i >= -1; i--) {
        let path;
        if (i >= 0) {
            path = paths[i];
            check(path, `paths[${i}]`);
            if (path === '')
                continue;
        } else if (device === '') {
            path = cwd();
        } else {
            path = env[`=${device}`] || cwd();
            if (path.slice(0, 2).toLowerCase() !== device.toLowerCase() && path[2] === '\\')
                path = `${device}\\`;
        }
        const found = split(path);
        if (found.device !== '' && device !== '' &&
            found.device.toLowerCase() !== device.toLowerCase())
            continue;
        if (device === '')
            device = found.device;
        if (isAbsolute) {
            if (device !== '')
                break;
            continue;
        }
        tail = `${path.slice(found.end)}\\${tail}`;
        isAbsolute = found.isAbsolute;
        if (isAbsolute && device !== '')
            break;
    }
    tail = simplify(tail, isAbsolute);
    return isAbsolute ? `${device}\\${tail}` : `${device}${tail}` || '.';
}

function isAbsolute(path) {
    check(path, 'path');
    return isSeparator(path[0]) ||
        (path.length > 2 && isLetter(path[0]) && path[1] === ':' && isSeparator(path[2]));
}

function join(...paths) {
    for (const path of paths)
        check(path, 'path');
    const given = paths.filter((path) => path !== '');
    if (given.length === 0)
        return '.';
    let whole = given.join('\\');
    // Two separators at the beginning mean a server only if the first argument
    // has both.
    const first = given[0];
    if (isSeparator(first[0]) && isSeparator(first[1]) && first.length > 2 && !isSeparator(first[2]))
        return normalize(whole);
    whole = whole.replace(/^[\\/]{2,}/, '\\');
    return normalize(whole);
}

function relative(from, to) {
    check(from, 'from');
    check(to, 'to');
    if (from === to)
        return '';
    const start = resolve(from), end = resolve(to);
    if (start === end || start.toLowerCase() === end.toLowerCase())
        return '';
    const a = start.split('\\').filter(Boolean), b = end.split('\\').filter(Boolean);
    let same = 0;
    while (same < a.length && same < b.length && a[same].toLowerCase() === b[same].toLowerCase())
        same++;
    if (same === 0 && a.length > 0 && b.length > 0)
        return end;
    return [...a.slice(same).map(() => '..'), ...b.slice(same)].join('\\');
}

function toNamespacedPath(path) {
    if (typeof path !== 'string' || path === '')
        return path;
    const full = resolve(path);
    if (full.length <= 2)
        return path;
    if (full.startsWith('\\\\') && full[2] !== '?' && full[2] !== '.')
        return `\\\\?\\UNC\\${full.slice(2)}`;
    return isLetter(full[0]) && full[1] === ':' && full[2] === '\\' ? `\\\\?\\${full}` : full;
}

// ---- parts ----

// Where the root of a path ends, for dirname and parse.
function rootEnd(path) {
    if (isSeparator(path[0])) {
        const unc = isSeparator(path[1]) ? uncOf(path) : undefined;
        return unc === undefined ? 1 : unc.isWhole ? unc.end : unc.end + 1;
    }
    if (!isLetter(path[0]) || path[1] !== ':')
        return 0;
    return isSeparator(path[2]) ? 3 : 2;
}

function trimEnd(path, least) {
    let end = path.length;
    while (end > least && isSeparator(path[end - 1]))
        end--;
    return path.slice(0, end);
}

const lastSeparator = (path) => Math.max(path.lastIndexOf('\\'), path.lastIndexOf('/'));

function dirname(path) {
    check(path, 'path');
    if (path === '')
        return '.';
    if (path.length === 1)
        return isSeparator(path) ? path : '.';
    const root = rootEnd(path), whole = trimEnd(path, root), at = lastSeparator(whole);
    if (at >= root)
        return whole.slice(0, at);
    return root === 0 ? '.' : path.slice(0, root);
}

function basename(path, suffix) {
    if (suffix !== undefined)
        check(suffix, 'suffix');
    check(path, 'path');
    if (suffix === path)
        return '';
    const start = isLetter(path[0]) && path[1] === ':' ? 2 : 0;
    const whole = trimEnd(path, start);
    const name = whole.slice(Math.max(lastSeparator(whole) + 1, start));
    if (!suffix || name === suffix || suffix.length > path.length)
        return name;
    if (suffix.endsWith(name))
        return name === '' ? path.slice(start) : path.slice(whole.length - name.length);
    return name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
}

function extname(path) {
    const name = basename(path), at = name.lastIndexOf('.');
    return at <= 0 || name === '..' ? '' : name.slice(at);
}

function parse(path) {
    check(path, 'path');
    const empty = { root: '', dir: '', base: '', ext: '', name: '' };
    if (path === '')
        return empty;
    if (path.length === 1)
        return isSeparator(path) ? { ...empty, root: path, dir: path } : { ...empty, base: path, name: path };
    const end = rootEnd(path), root = path.slice(0, end);
    if (end >= path.length)
        return { ...empty, root, dir: root };
    const whole = trimEnd(path, end), at = Math.max(lastSeparator(whole) + 1, end);
    const base = whole.slice(at), dot = base.lastIndexOf('.');
    const ext = dot <= 0 || base === '..' ? '' : base.slice(dot);
    return { root, dir: at > end ? whole.slice(0, at - 1) : root, base, ext,
        name: ext ? base.slice(0, -ext.length) : base };
}

function format(object) {
    checkObject(object, 'pathObject');
    const dir = object.dir || object.root;
    const ext = object.ext ? `${object.ext[0] === '.' ? '' : '.'}${object.ext}` : '';
    const base = object.base || `${object.name || ''}${ext}`;
    return !dir ? base : dir === object.root ? `${dir}${base}` : `${dir}\\${base}`;
}

function matchesGlob(path, pattern) {
    check(path, 'path');
    check(pattern, 'pattern');
    return require('fs/patterns').compile(pattern, 'win32').match(path);
}

module.exports = { resolve, normalize, isAbsolute, join, relative, toNamespacedPath, dirname,
    basename, extname, format, parse, matchesGlob, sep: '\\', delimiter: ';' };
module.exports._makeLong = toNamespacedPath;
