// SPDX-License-Identifier: MIT
// resolve -- from the name in require() or import to a file, as Node does:
// package.json's main, exports, imports and type, and node_modules.
'use strict';

const { dirname, resolve: join } = require('path');
const { coded } = require('errors');

const FILE = 0, DIRECTORY = 1;
const packages = new Map(); // directory -> its package.json, or null

function isFile(path) {
    return native.stat(path) === FILE;
}

function isDirectory(path) {
    return native.stat(path) === DIRECTORY;
}

function readPackage(directory) {
    let found = packages.get(directory);
    if (found !== undefined)
        return found;
    const path = join(directory, 'package.json');
    found = null;
    if (isFile(path)) {
        try {
            found = { ...JSON.parse(native.readFile(path)), directory, path };
        } catch (error) {
            throw coded(Error, 'ERR_INVALID_PACKAGE_CONFIG',
                `Invalid package config ${path}. ${error.message}`);
        }
    }
    packages.set(directory, found);
    return found;
}

// That of the nearest directory above; null if there is none.
function packageOf(path) {
    for (let at = dirname(path); ; at = dirname(at)) {
        if (at.endsWith('/node_modules'))
            return null;
        const found = readPackage(at);
        if (found !== null || at === '/')
            return found;
    }
}

// ---- exports and imports of a package ----

function invalidTarget(info, key, target, isImports) {
    return coded(Error, 'ERR_INVALID_PACKAGE_TARGET',
        `Invalid "${isImports ? 'imports' : 'exports'}" target ` +
        `${JSON.stringify(target)} defined for '${key}' in the package config ` +
        info.path);
}

const forbidden = /(^|\/|\\)(\.\.?|node_modules)(\/|\\|$)/i;

// undefined: no condition fits; null: it is not exported.
function targetOf(info, key, target, star, conditions, isImports) {
    if (typeof target === 'string') {
        if (!target.startsWith('./')) {
            if (isImports && !target.startsWith('../') && target[0] !== '/')
                return resolvePackage(star === undefined ? target
                    : target.replaceAll('*', star), info.path, conditions);
            throw invalidTarget(info, key, target, isImports);
        }
        if (forbidden.test(target.slice(2)))
            throw invalidTarget(info, key, target, isImports);
        if (star !== undefined && forbidden.test(star))
            throw coded(TypeError, 'ERR_INVALID_MODULE_SPECIFIER',
                `Invalid module "${key.replace('*', star)}" request is not a ` +
                `valid match in pattern "${key}" of ${info.path}`);
        return join(info.directory, star === undefined ? target
            : target.replaceAll('*', star));
    }
    if (Array.isArray(target)) {
        let last;
        for (const one of target) {
            try {
                const found = targetOf(info, key, one, star, conditions, isImports);
                if (found != null)
                    return found;
                last = found;
            } catch (error) {
                if (error.code !== 'ERR_INVALID_PACKAGE_TARGET')
                    throw error;
            }
        }
        return last;
    }
    if (target === null)
        return null;
    if (typeof target !== 'object')
        throw invalidTarget(info, key, target, isImports);
    for (const name of Object.keys(target)) {
        if (name !== 'default' && !conditions.includes(name))
            continue;
        const found = targetOf(info, key, target[name], star, conditions, isImports);
        if (found !== undefined)
            return found;
    }
    return undefined;
}

// The longest pattern "a/*b" that fits comes first.
function compareKeys(a, b) {
    const [lengthA, lengthB] = [a.indexOf('*'), b.indexOf('*')];
    return lengthB - lengthA || b.length - a.length;
}

function lookUp(info, table, key, conditions, isImports) {
    if (Object.hasOwn(table, key) && !key.includes('*'))
        return targetOf(info, key, table[key], undefined, conditions, isImports);
    const patterns = Object.keys(table).filter((one) => {
        const at = one.indexOf('*');
        return at >= 0 && key.startsWith(one.slice(0, at)) &&
            key.endsWith(one.slice(at + 1)) && key.length >= one.length;
    }).sort(compareKeys);
    if (patterns.length === 0)
        return undefined;
    const [best] = patterns, at = best.indexOf('*');
    const star = key.slice(at, key.length - (best.length - at - 1));
    return targetOf(info, best, table[best], star, conditions, isImports);
}

function resolveExports(info, subpath, conditions) {
    let table = info.exports;
    if (typeof table === 'string' || Array.isArray(table) || table === null ||
        !Object.keys(table).some((key) => key[0] === '.'))
        table = { '.': table };
    const found = lookUp(info, table, subpath, conditions, false);
    if (found == null)
        throw coded(Error, 'ERR_PACKAGE_PATH_NOT_EXPORTED', subpath === '.'
            ? `No "exports" main defined in ${info.path}`
            : `Package subpath '${subpath}' is not defined by "exports" in ${info.path}`);
    return found;
}

function resolveImports(name, parent, conditions) {
    const info = packageOf(parent);
    const found = info?.imports
        ? lookUp(info, info.imports, name, conditions, true) : undefined;
    if (found == null)
        throw coded(TypeError, 'ERR_PACKAGE_IMPORT_NOT_DEFINED',
            `Package import specifier "${name}" is not defined` +
            `${info ? ` in package ${info.path}` : ''} imported from ${parent}`);
    return found;
}

// ---- files and directories ----

const extensions = ['.js', '.json'];

function asFile(path) {
    if (isFile(path))
        return path;
    for (const extension of extensions)
        if (isFile(path + extension))
            return path + extension;
    return undefined;
}

function asDirectory(path) {
    if (!isDirectory(path))
        return undefined;
    const main = readPackage(path)?.main;
    if (typeof main === 'string') {
        const file = join(path, main);
        const found = asFile(file) ?? asFile(join(file, 'index'));
        if (found !== undefined)
            return found;
    }
    return asFile(join(path, 'index'));
}

function split(name) {
    const parts = name.split('/');
    const count = name[0] === '@' ? 2 : 1;
    return [parts.slice(0, count).join('/'),
        ['.', ...parts.slice(count)].join('/')];
}

function lookUpPaths(from) {
    const paths = [];
    for (let at = from; ; at = dirname(at)) {
        if (!at.endsWith('/node_modules'))
            paths.push(at === '/' ? '/node_modules' : `${at}/node_modules`);
        if (at === '/')
            return paths;
    }
}

// A bare name; undefined if no node_modules has it.
function resolvePackage(name, parent, conditions) {
    const [wanted, subpath] = split(name);
    const isRequire = conditions.includes('require');
    const own = packageOf(parent);
    if (own?.name === wanted && own.exports !== undefined)
        return resolveExports(own, subpath, conditions);
    for (const base of lookUpPaths(dirname(parent))) {
        const directory = join(base, wanted);
        const info = isDirectory(directory) ? readPackage(directory) : null;
        if (info?.exports != null)
            return resolveExports(info, subpath, conditions);
        const path = join(base, name);
        const found = isRequire || subpath === '.'
            ? asFile(path) ?? asDirectory(path)
            : isFile(path) ? path : undefined;
        if (found !== undefined)
            return found;
    }
    return undefined;
}

function isRelative(name) {
    return /^\.{0,2}\/|^\.\.?$/.test(name);
}

const forRequire = ['node', 'require', 'module-sync', 'node-addons'];
const forImport = ['node', 'import', 'module-sync', 'node-addons'];

// What exports or imports of a package named, and is not there.
function checkTarget(path) {
    if (path === undefined || isFile(path))
        return path;
    const error = new Error(`Cannot find module '${path}'`);
    throw Object.assign(error, { code: 'MODULE_NOT_FOUND', path: packageOf(path)?.path });
}

// The file that require(name) in the file `parent` means; undefined: none.
function resolveRequire(name, parent) {
    let path;
    if (name[0] === '#' && packageOf(parent)?.imports != null) {
        path = checkTarget(resolveImports(name, parent, forRequire));
    } else if (isRelative(name)) {
        path = join(dirname(parent), name);
        path = (/(^|\/)\.{0,2}\/?$/.test(name) ? undefined : asFile(path)) ??
            asDirectory(path);
    } else {
        path = checkTarget(resolvePackage(name, parent, forRequire));
    }
    return path === undefined || !isFile(path) ? undefined
        : native.realpath(path);
}

// "name", "@scope/name", and what follows them.
function checkName(name, parent) {
    const [wanted] = split(name);
    if (wanted[0] === '.' || /[\\%]/.test(wanted) ||
        (wanted[0] === '@' && !wanted.includes('/')))
        throw coded(TypeError, 'ERR_INVALID_MODULE_SPECIFIER',
            `Invalid module "${name}" is not a valid package name imported from ${parent}`);
}

// The same for import, which adds no extension and reads no directory.
function resolveImport(name, parent) {
    if (name[0] !== '#' && !isRelative(name))
        checkName(name, parent);
    const path = name[0] === '#' ? resolveImports(name, parent, forImport)
        : isRelative(name) ? join(dirname(parent), name)
            : resolvePackage(name, parent, forImport);
    if (path === undefined)
        throw coded(Error, 'ERR_MODULE_NOT_FOUND',
            `Cannot find package '${split(name)[0]}' imported from ${parent}`);
    if (isDirectory(path))
        throw coded(Error, 'ERR_UNSUPPORTED_DIR_IMPORT', `Directory import '${path}` +
            `${name.endsWith('/') ? '/' : ''}' ` +
            `is not supported resolving ES modules imported from ${parent}`);
    if (!isFile(path))
        throw coded(Error, 'ERR_MODULE_NOT_FOUND',
            `Cannot find module '${path}' imported from ${parent}`);
    return native.realpath(path);
}

// 'module', 'commonjs', 'json'; undefined where nothing says so.
function formatOf(path) {
    if (path.endsWith('.mjs'))
        return 'module';
    if (path.endsWith('.json'))
        return 'json';
    if (path.endsWith('.cjs') || !path.endsWith('.js'))
        return 'commonjs';
    const type = packageOf(path)?.type;
    return type === 'module' || type === 'commonjs' ? type : undefined;
}

module.exports = { resolveRequire, resolveImport, formatOf, lookUpPaths, asFile,
    asDirectory };
