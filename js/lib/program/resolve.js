// SPDX-License-Identifier: MIT
// resolve -- from the name in require() or import to a file, as Node does it:
// main, exports, imports and type of package.json, and node_modules.
'use strict';

const { dirname, resolve: join } = require('fs/path');
const { coded } = require('core/errors');

const FILE = 0, DIRECTORY = 1;
const packages = new Map(); // directory -> its package.json, or null

function isFile(path) {
    return native.stat(path) === FILE;
}

function isDirectory(path) {
    return native.stat(path) === DIRECTORY;
}

// For the system a name ends at a NUL, so another file may have been found.
function realPath(path) {
    if (path.includes('\0'))
        require('fs/check').path(path); // throws
    return native.realpath(path);
}

// importing: what is being imported, for the message.
function readPackage(directory, importing = undefined) {
    let found = packages.get(directory);
    if (found !== undefined)
        return found;
    const path = join(directory, 'package.json');
    found = null;
    if (isFile(path)) {
        try {
            found = { ...JSON.parse(native.readFile(path)), directory, path };
        } catch (error) {
            if (importing !== undefined)
                throw coded(Error, 'ERR_INVALID_PACKAGE_CONFIG', `Invalid package ` +
                    `config ${path} while importing ${importing}. ${error.message}`);
            error.message = `Error parsing ${path}: ${error.message}`;
            throw Object.assign(error, { path });
        }
    }
    packages.set(directory, found);
    return found;
}

// The package.json of the nearest directory above; null if there is none.
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

// A request is {conditions, by}: `by` names the importer, for messages.

function invalidTarget(info, key, target, request, isImports) {
    const text = `${target}`; // also converts a number
    const isFree = text !== '' && !isImports && !text.startsWith('./');
    return coded(Error, 'ERR_INVALID_PACKAGE_TARGET', (key === '.'
        ? `Invalid "exports" main target ${JSON.stringify(text)} defined`
        : `Invalid "${isImports ? 'imports' : 'exports'}" target ` +
            `${JSON.stringify(text)} defined for '${key}'`) +
        ` in the package config ${info.path}${request.by}` +
        (isFree ? '; targets must start with "./"' : ''));
}

const forbidden = /(^|\/|\\)(\.\.?|node_modules)(\/|\\|$)/i;

// undefined: no condition matches; null: it is not exported.
function targetOf(info, key, target, star, request, isImports) {
    if (typeof target === 'string') {
        if (!target.startsWith('./')) {
            if (isImports && !target.startsWith('../') && target[0] !== '/')
                return resolvePackage(star === undefined ? target
                    : target.replaceAll('*', star), info.path, request);
            throw invalidTarget(info, key, target, request, isImports);
        }
        if (forbidden.test(target.slice(2)))
            throw invalidTarget(info, key, target, request, isImports);
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
                const found = targetOf(info, key, one, star, request, isImports);
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
        throw invalidTarget(info, key, target, request, isImports);
    for (const name of Object.keys(target)) {
        if (name !== 'default' && !request.conditions.includes(name))
            continue;
        const found = targetOf(info, key, target[name], star, request, isImports);
        if (found !== undefined)
            return found;
    }
    return undefined;
}

// The longest matching pattern "a/*b" comes first.
function compareKeys(a, b) {
    const [lengthA, lengthB] = [a.indexOf('*'), b.indexOf('*')];
    return lengthB - lengthA || b.length - a.length;
}

function lookUp(info, table, key, request, isImports) {
    if (Object.hasOwn(table, key) && !key.includes('*'))
        return targetOf(info, key, table[key], undefined, request, isImports);
    const patterns = Object.keys(table).filter((one) => {
        const at = one.indexOf('*');
        return at >= 0 && key.startsWith(one.slice(0, at)) &&
            key.endsWith(one.slice(at + 1)) && key.length >= one.length;
    }).sort(compareKeys);
    if (patterns.length === 0)
        return undefined;
    const [best] = patterns, at = best.indexOf('*');
    const star = key.slice(at, key.length - (best.length - at - 1));
    return targetOf(info, best, table[best], star, request, isImports);
}

function resolveExports(info, subpath, request) {
    let table = info.exports;
    if (typeof table === 'string' || Array.isArray(table) || table === null ||
        !Object.keys(table).some((key) => key[0] === '.'))
        table = { '.': table };
    const found = lookUp(info, table, subpath, request, false);
    if (found == null)
        throw coded(Error, 'ERR_PACKAGE_PATH_NOT_EXPORTED', subpath === '.'
            ? `No "exports" main defined in ${info.path}${request.by}`
            : `Package subpath '${subpath}' is not defined by "exports" in ` +
                info.path + request.by);
    return found;
}

function resolveImports(name, parent, request) {
    const info = packageOf(parent);
    const found = info?.imports
        ? lookUp(info, info.imports, name, request, true) : undefined;
    if (found == null)
        throw coded(TypeError, 'ERR_PACKAGE_IMPORT_NOT_DEFINED',
            `Package import specifier "${name}" is not defined` +
            `${info ? ` in package ${info.path}` : ''} imported from ${parent}`);
    return found;
}

// ---- files and directories ----

let extensions = ['.js', '.json'];

// Run a function while the extensions of a program are tried.
function withExtensions(list, run) {
    const before = extensions;
    extensions = list;
    try {
        return run();
    } finally {
        extensions = before;
    }
}

function asFile(path) {
    if (isFile(path))
        return path;
    for (const extension of extensions)
        if (isFile(path + extension))
            return path + extension;
    return undefined;
}

function asDirectory(path, name) {
    if (!isDirectory(path))
        return undefined;
    const info = readPackage(path), main = info?.main;
    const index = () => asFile(join(path, 'index'));
    if (typeof main !== 'string' || main === '')
        return index();
    const file = join(path, main);
    return asFile(file) ?? asFile(join(file, 'index')) ?? badMain(info, index(), name);
}

// The main file is missing, but there may be an index.
function badMain(info, index, name) {
    if (index === undefined) {
        const error = new Error(`Cannot find module '${join(info.directory, info.main)}'. ` +
            'Please verify that the package.json has a valid "main" entry');
        throw Object.assign(error,
            { code: 'MODULE_NOT_FOUND', path: info.path, requestPath: name });
    }
    require('program/process').emitWarning(`Invalid 'main' field in '${info.path}' of ` +
        `'${info.main}'. Please either fix that or report it to the module author`,
    'DeprecationWarning', 'DEP0128');
    return index;
}

// For import: report a missing main only if there is no index either.
function importDirectory(path, info, request) {
    const main = typeof info?.main === 'string' ? info.main : '';
    const file = join(path, main);
    const found = (main && (asFile(file) ?? asFile(join(file, 'index')))) ||
        asFile(join(path, 'index'));
    if (found === undefined)
        throw coded(Error, 'ERR_MODULE_NOT_FOUND', `Cannot find package '` +
            `${main ? file : join(path, 'index.js')}'${request.by}`);
    return found;
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

// Resolve a bare name; undefined if no node_modules has it.
function resolvePackage(name, parent, request) {
    const [wanted, subpath] = split(name);
    const own = packageOf(parent);
    if (own?.name === wanted && own.exports !== undefined)
        return resolveExports(own, subpath, request);
    for (const base of lookUpPaths(dirname(parent))) {
        const directory = join(base, wanted), path = join(base, name);
        const isThere = isDirectory(directory);
        const info = isThere ? readPackage(directory, request.importing) : null;
        if (info?.exports != null)
            return resolveExports(info, subpath, request);
        if (isThere && request.by !== '')
            return subpath === '.' ? importDirectory(directory, info, request) : path;
        const found = request.by === '' ? asFile(path) ?? asDirectory(path, name)
            : undefined;
        if (found !== undefined)
            return found;
    }
    return undefined;
}

function isRelative(name) {
    return /^\.{0,2}\/|^\.\.?$/.test(name);
}

const forRequire = { by: '',
    conditions: ['node', 'require', 'module-sync', 'node-addons'] };
const importConditions = ['node', 'import', 'module-sync', 'node-addons'];

// Check that the target of a package's exports or imports exists.
function checkTarget(path) {
    if (path === undefined || isFile(path))
        return path;
    const error = new Error(`Cannot find module '${path}'`);
    throw Object.assign(error, { code: 'MODULE_NOT_FOUND', path: packageOf(path)?.path });
}

function isTypeScript(path) {
    return /\.[cm]?ts$/.test(path);
}

// TypeScript writes "./a.js" for the file that a.ts becomes.  Where only a.ts
// exists, that is meant; otherwise the result is undefined.
function asTypeScript(path, parent) {
    const [, start, kind] = /^(.*\.[cm]?)(js)$/s.exec(path) ?? [];
    return kind !== undefined && isTypeScript(parent) && isFile(`${start}ts`)
        ? `${start}ts` : undefined;
}

// The file that require(name) in the file `parent` refers to; undefined if
// there is none.
function resolveRequire(name, parent) {
    let path;
    if (name[0] === '#' && packageOf(parent)?.imports != null) {
        path = checkTarget(resolveImports(name, parent, forRequire));
    } else if (isRelative(name)) {
        path = join(dirname(parent), name);
        path = (/(^|\/)\.{0,2}\/?$/.test(name) ? undefined : asFile(path)) ??
            asTypeScript(path, parent) ?? asDirectory(path, name) ??
            native.checkPath(path);
    } else {
        path = checkTarget(resolvePackage(name, parent, forRequire));
    }
    return path === undefined || !isFile(path) ? undefined
        : realPath(path);
}

// "name" or "@scope/name", and the rest.
function checkName(name, parent) {
    const [wanted] = split(name);
    if (wanted[0] === '.' || /[\\%]/.test(wanted) ||
        (wanted[0] === '@' && !wanted.includes('/')))
        throw coded(TypeError, 'ERR_INVALID_MODULE_SPECIFIER',
            `Invalid module "${name}" is not a valid package name imported from ${parent}`);
}

// For import, which adds no extension and reads no directory.
function resolveImport(name, parent) {
    const request = { conditions: importConditions, by: ` imported from ${parent}`,
        importing: `"${name}" from ${parent}` };
    if (name[0] !== '#' && !isRelative(name))
        checkName(name, parent);
    const path = name[0] === '#' ? resolveImports(name, parent, request)
        : isRelative(name) ? join(dirname(parent), name)
            : resolvePackage(name, parent, request);
    if (path === undefined)
        throw coded(Error, 'ERR_MODULE_NOT_FOUND',
            `Cannot find package '${split(name)[0]}'${absence(name)}${request.by}`);
    if (isDirectory(path))
        throw Object.assign(coded(Error, 'ERR_UNSUPPORTED_DIR_IMPORT',
            `Directory import '${path}${name.endsWith('/') ? '/' : ''}' is not ` +
            `supported resolving ES modules${request.by}`), { url: urlOf(path) });
    const file = isFile(path) ? path : asTypeScript(path, parent);
    if (file === undefined) {
        native.checkPath(path);
        throw Object.assign(coded(Error, 'ERR_MODULE_NOT_FOUND',
            `Cannot find module '${path}'${request.by}`), { url: urlOf(path) });
    }
    return realPath(file);
}

// 'module', 'commonjs' or 'json'; undefined if it is not stated.
function formatOf(path) {
    if (path.endsWith('.mjs') || path.endsWith('.mts'))
        return 'module';
    if (path.endsWith('.json'))
        return 'json';
    if (!path.endsWith('.js') && !path.endsWith('.ts'))
        return 'commonjs';
    const type = packageOf(path)?.type;
    return type === 'module' || type === 'commonjs' ? type : undefined;
}

function urlOf(file) {
    return `file://${encodeURI(file).replace(/[?#]/g, encodeURIComponent)
        .replace(/%5[BDE]|%7C/g, decodeURIComponent)}`;
}

// Node's builtins that weir lacks.  The error says so, since no package is
// missing.
const absent = new Set(['_http_agent', '_http_client', '_http_common', '_http_incoming',
    '_http_outgoing', '_http_server', '_stream_wrap', '_tls_common', '_tls_wrap',
    'domain', 'inspector', 'repl', 'trace_events', 'wasi']);

function absence(name) {
    return absent.has(name.split('/')[0]) ? ' (built into Node, absent in weir)' : '';
}

module.exports = { absence, urlOf, resolveRequire, resolveImport, formatOf, lookUpPaths, asFile,
    asDirectory, realPath, withExtensions, isTypeScript };
