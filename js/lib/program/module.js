// SPDX-License-Identifier: MIT
// module -- CommonJS, and answers to the engine's questions about ES modules.
//
// The name of an ES module is the URL of its file, or "node:..."; the name of a
// CommonJS module is its path.  An imported CommonJS module runs when the turn
// of its importer comes.  Its export names are read from its source.
'use strict';

const path = require('fs/path');
const resolve = require('program/resolve');
const { coded, invalidArgType, invalidArgValue } = require('core/errors');
const hooks = require('core/hooks');

// ---- builtins: js/program/catalog.c ----

// The name without "node:", or undefined.
function builtinName(name) {
    if (native.isBuiltin(name))
        return name.startsWith('node:') ? name.slice(5) : name;
    if (name.startsWith('node:'))
        throw coded(Error, 'ERR_UNKNOWN_BUILTIN_MODULE',
            `No such built-in module: ${name}`);
    return undefined;
}

// ---- file URLs ----

const { urlOf } = resolve;

function pathOf(url) {
    return decodeURIComponent(url.replace(/[?#].*$/s, '').slice(7));
}

// ---- CommonJS ----

const cache = { __proto__: null };

class Module {
    constructor(id, parent) {
        this.id = id;
        this.path = path.dirname(id);
        this.exports = {};
        this.filename = null;
        this.loaded = false;
        this.children = [];
        Object.defineProperty(this, 'parent',
            { value: parent, writable: true, configurable: true });
        parent?.children.push(this);
    }

    require(name) {
        if (typeof name !== 'string')
            throw invalidArgType('id', 'of type string', name);
        if (name === '')
            throw coded(TypeError, 'ERR_INVALID_ARG_VALUE',
                "The argument 'id' must be a non-empty string. Received ''");
        return load(name, this);
    }

    _compile(source, file) {
        return execute(this, native.compile(source, file), file);
    }
}

const executing = new Set(); // CommonJS files

function execute(module, code, file) {
    executing.add(file);
    try {
        return native.apply(code, module.exports, makeRequire(module), module,
            file, path.dirname(file));
    } finally {
        executing.delete(file);
    }
}

function notFound(name, module) {
    const stack = [];
    for (let at = module; at; at = at.parent)
        stack.push(at.filename || at.id);
    const error = coded(Error, 'MODULE_NOT_FOUND',
        `Cannot find module '${name}'${resolve.absence(name)}` +
        (stack.length > 0 ? `\nRequire stack:\n- ${stack.join('\n- ')}` : ''));
    error.stack = error.stack.replace('Error [MODULE_NOT_FOUND]', 'Error');
    error.requireStack = stack;
    return error;
}

// Like Node, try what a program has added to require.extensions, in its order.
function resolveRequire(name, from) {
    const extensions = Object.keys(Module._extensions).filter((one) => !/^\.m[jt]s$/.test(one));
    return resolve.withExtensions(extensions, () => resolve.resolveRequire(name, from));
}

// The longest extension that has a function, such as ".foo.bar" of "a.foo.bar".
function extensionOf(file) {
    const name = path.basename(file);
    for (let at = name.indexOf('.', 1); at > 0; at = name.indexOf('.', at + 1))
        if (at < name.length - 1 && Module._extensions[name.slice(at)])
            return name.slice(at);
    return '.js';
}

function checkPaths(paths) {
    if (!Array.isArray(paths))
        throw invalidArgValue('options.paths', paths);
    for (const base of paths)
        if (typeof base !== 'string')
            throw invalidArgType('paths', 'array of strings', paths);
}

function find(name, module, from) {
    const file = resolveRequire(name, from);
    if (file === undefined)
        throw notFound(name, module);
    return file;
}

function makeRequire(module) {
    const from = module.filename;
    function require(name) {
        return module.require(name);
    }
    require.resolve = function (name, options) {
        if (typeof name !== 'string')
            throw invalidArgType('request', 'of type string', name);
        if (builtinName(name) !== undefined)
            return name;
        if (options?.paths === undefined)
            return find(name, module, from);
        checkPaths(options.paths);
        for (const base of options.paths) {
            const file = resolveRequire(name, path.resolve(base, 'x'));
            if (file !== undefined)
                return file;
        }
        throw notFound(name, module);
    };
    require.resolve.paths = (name) => {
        if (typeof name !== 'string')
            throw invalidArgType('request', 'of type string', name);
        return builtinName(name) !== undefined ? null : /^\.\.?(\/|$)/.test(name) ? [path.dirname(from)]
            : resolve.lookUpPaths(path.dirname(from));
    };
    require.main = Module.main;
    require.extensions = Module._extensions;
    require.cache = cache;
    return require;
}

function load(name, parent) {
    const builtin = builtinName(name);
    if (builtin !== undefined && builtin === name && cache[name] !== undefined)
        return cache[name].exports; // a program's own, in place of it
    if (builtin !== undefined)
        return native.builtin(name);
    return loadFile(find(name, parent, parent.filename), parent).exports;
}

// While a module in a cycle is incomplete, its exports warn about missing
// properties.
const unfinished = new Proxy({}, {
    get: (target, key) => key in target || key === '__esModule' ? target[key]
        : warnOfCycle(key),
    getOwnPropertyDescriptor: (target, key) => key === '__esModule' ? undefined
        : warnOfCycle(key),
});

function warnOfCycle(key) {
    require('program/process').emitWarning(`Accessing non-existent property '${String(key)}' ` +
        'of module exports inside circular dependency');
}

const inCycle = new WeakSet(); // modules

function inherits({ exports }, prototype) {
    return exports !== null && typeof exports === 'object' &&
        !require('util/kinds').isProxy(exports) &&
        Object.getPrototypeOf(exports) === prototype;
}

// Only for plain objects, and not for the output of a transpiler.
function beginCycle(module) {
    if (!inherits(module, Object.prototype) || module.exports.__esModule)
        return;
    inCycle.add(module);
    Object.setPrototypeOf(module.exports, unfinished);
}

function endCycle(module) {
    if (inCycle.delete(module) && inherits(module, unfinished))
        Object.setPrototypeOf(module.exports, Object.prototype);
}

function loadFile(file, parent) {
    const known = cache[file];
    if (known !== undefined) {
        if (parent && !parent.children.includes(known))
            parent.children.push(known);
        if (!known.loaded && resolve.formatOf(file) === 'module')
            throw require('program/requiremodule').cycle(file, known.parent);
        if (!known.loaded)
            beginCycle(known);
        return known;
    }
    const module = new Module(file, parent);
    return run(module, file);
}

// code: the compiled source, if there is one.
function run(module, file, code) {
    module.filename = file;
    module.paths = resolve.lookUpPaths(path.dirname(file));
    cache[file] = module;
    try {
        if (code !== undefined)
            execute(module, code, file);
        else
            Module._extensions[extensionOf(file)](module, file);
    } catch (error) {
        delete cache[file];
        const { parent } = module;
        if (parent)
            parent.children.splice(parent.children.indexOf(module), 1);
        throw error;
    } finally {
        endCycle(module);
    }
    module.loaded = true;
    return module;
}

function strip(text) {
    return text.charCodeAt(0) === 0xFEFF ? text.slice(1) : text;
}

// The JavaScript of a file.
function readSource(file) {
    const text = strip(native.readFile(file));
    return resolve.isTypeScript(file) ? require('program/typescript').read(text, file) : text;
}

Module._extensions = {
    __proto__: null,
    '.js'(module, file) {
        if (resolve.formatOf(file) === 'module')
            module.exports = require('program/requiremodule').load(file, module.parent);
        else
            module._compile(readSource(file), file);
    },
    '.json'(module, file) {
        try {
            module.exports = JSON.parse(strip(native.readFile(file)));
        } catch (error) {
            error.message = `${file}: ${error.message}`;
            throw error;
        }
    },
};
for (const extension of ['.mjs', '.ts', '.mts', '.cts'])
    Module._extensions[extension] = Module._extensions['.js'];
Module._cache = cache;

Object.assign(Module, {
    Module, builtinModules: native.builtinNames(),
    isBuiltin: (name) => typeof name === 'string' && native.isBuiltin(name),
    createRequire(from) {
        const file = String(from).startsWith('file:') ? pathOf(String(from)) : from;
        if (typeof file !== 'string' || !path.isAbsolute(file))
            throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', "The argument 'filename' " +
                'must be a file URL object, file URL string, or absolute path string. ' +
                `Received ${require('util/inspect').inspect(from)}`);
        const module = new Module(file);
        module.filename = file;
        return makeRequire(module);
    },
});

// ---- the engine's questions ----

// The module name that `import name` in `parent` refers to.
function resolveImport(name, parent) {
    const from = parent.startsWith('file:') ? pathOf(parent)
        : path.resolve(native.cwd(), parent);
    if (name.startsWith('file:')) {
        const file = pathOf(name);
        return urlOf(resolve.resolveImport(file, from)) +
            (/[?#].*$/s.exec(name)?.[0] ?? '');
    }
    const builtin = builtinName(name);
    if (builtin !== undefined)
        return `node:${builtin}`;
    const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(name);
    if (scheme !== null)
        throw coded(Error, 'ERR_UNSUPPORTED_ESM_URL_SCHEME', 'Only URLs with a ' +
            'scheme in: file and node are supported by the default ESM loader. ' +
            `Received protocol '${scheme[1]}:'`);
    const isPath = /^\.{0,2}\//.test(name);
    const query = isPath ? /[?#].*$/s.exec(name)?.[0] ?? '' : '';
    if (isPath && /%2f|%5c/i.test(name))
        throw coded(TypeError, 'ERR_INVALID_MODULE_SPECIFIER', 'Invalid module "' +
            path.resolve(path.dirname(from), name.slice(0, name.length - query.length)) +
            `" must not include encoded "/" or "\\" characters imported from ${from}`);
    const bare = isPath ? decodeURIComponent(name.slice(0, name.length - query.length))
        : name;
    return urlOf(resolve.resolveImport(bare, from)) + query;
}

// Module -> what it imports, so that require() can detect cycles.
const imports = new Map();

// Called for import statements only; import() does not arrive here under its
// name.
function link(name, parent) {
    const id = resolveImport(name, parent);
    if (!imports.has(parent))
        imports.set(parent, new Set());
    imports.get(parent).add(id);
    return id;
}

// An import() is answered by a gate (a stand-in module, js/program/import.c), named by
// its number.
const gate = 'weir:import/';

// Code of node:vm has no modules, unless it was given those of its file; parent is
// undefined for code of another context.
function askFor(name, parent) {
    hooks.checkImport?.(parent);
    return gate + require('program/import').ask(name, parent);
}

// What the engine has begun to load, and import() need not read.
const known = new Set();

function prepareOnce(id) {
    if (!known.has(id))
        native.prepare(id);
}

// type: the import attribute, or undefined.
function loading(id, type = 'javascript') {
    const answer = formatOf(id);
    const expected = answer[0] === 'json' ? 'json' : 'javascript';
    if (type !== expected)
        throw wrongType(id, expected, type);
    known.add(id);
    return answer;
}

function wrongType(id, expected, type) {
    const [what, text] = type === 'javascript'
        ? ['MISSING', `Module "${id}" needs an import attribute of type "${expected}"`]
        : type === 'json' ? ['FAILED', `Module "${id}" is not of type "json"`]
            : ['UNSUPPORTED', `Import attribute type "${type}" is unsupported`];
    return coded(TypeError, `ERR_IMPORT_ASSERTION_TYPE_${what}`, text);
}

// ['builtin' | 'json' | 'commonjs' | 'module', source text of a module]
function formatOf(id) {
    if (id.startsWith('node:') || id.startsWith(gate))
        return ['builtin'];
    const file = pathOf(id);
    const format = resolve.formatOf(file);
    if (format === 'json')
        return ['json'];
    if (format === 'commonjs')
        return ['commonjs'];
    const source = readSource(file);
    if (format === 'module' ||
        (cache[file] === undefined && compileAny(source, file) === null))
        return ['module', source];
    return ['commonjs'];
}

// Whether the loader reads the file, to determine its format or to compile it.
function isRead(id) {
    return !id.startsWith('node:') && resolve.formatOf(pathOf(id)) !== 'commonjs';
}

// Node's guess for a .js file without a type in package.json: the compiled
// function of a CommonJS source, null for an ES module, undefined for neither.
function compileAny(source, file) {
    try {
        return native.compile(source, file);
    } catch (error) {
        return error instanceof SyntaxError && native.detectModule(source)
            ? null : undefined;
    }
}

// The file that require(name) would read.  A missing one is reported when the
// module runs.
function fileOf(name, from) {
    try {
        return builtinName(name) === undefined
            ? resolve.resolveRequire(name, from) : undefined;
    } catch {
        return undefined;
    }
}

function namesOf(id) {
    let names;
    if (id.startsWith(gate))
        names = ['then'];
    else if (id.startsWith('node:'))
        names = Object.keys(native.builtin(id));
    else
        names = id.replace(/[?#].*$/s, '').endsWith('.json') ? []
            : require('program/names')(pathOf(id), readSource, fileOf);
    return [...names.filter((name) => name !== 'default'), 'default'];
}

// Imported CommonJS files that are running, and the number of evaluations
// around each.
const running = [];

// module.exports of an imported module that is not an ES module.
function loadImported(id) {
    if (id.startsWith(gate))
        return require('program/import').gates[id.slice(gate.length)];
    if (id.startsWith('node:'))
        return native.builtin(id);
    running.push({ id, level: native.nesting() });
    try {
        return loadFile(pathOf(id)).exports;
    } finally {
        running.pop();
    }
}

function fillMeta(id, meta) {
    const file = id.startsWith('file:') ? pathOf(id) : undefined;
    if (file !== undefined)
        Object.assign(meta, { dirname: path.dirname(file), filename: file });
    Object.assign(meta, {
        resolve: (name) => resolveImport(`${name}`, id), url: id });
}

// ---- the program ----

function importMain(id) {
    // Run it in a job, as Node does, so that its promises come before its
    // next-ticks; and after one turn, in which Node reads it, so that
    // immediates are next.
    require('program/import').submit(() => queueMicrotask(() => native.runMain(id)));
}

function runFile(name) {
    const file = path.resolve(native.cwd(), name);
    const found = resolve.asFile(file) ?? resolve.asDirectory(file, file);
    if (found === undefined)
        throw notFound(file);
    hooks.program = { file, module: undefined }; // `process` is loaded on first use
    const real = resolve.realPath(found);
    const format = resolve.formatOf(real);
    const code = format === undefined
        ? compileAny(readSource(real), real) : undefined;
    if (format === 'module' || code === null)
        return importMain(urlOf(real));
    const module = new Module(real, null);
    module.id = '.';
    Module.main = hooks.program.module = module;
    run(module, real, code);
    return undefined;
}

// Give scripts that are not modules the variables of one.
function expose(module, more) {
    Object.assign(globalThis, { module, exports: module.exports,
        require: makeRequire(module), ...more });
}

function runRepl() {
    const module = new Module('<repl>');
    module.filename = path.join(require('program/process').cwd(), 'repl');
    module.paths = resolve.lookUpPaths(path.dirname(module.filename));
    expose(module);
    native.exposeBuiltins();
    require('program/repl').start();
}

function runText(kind, text) {
    const { isMainThread } = require('threads/thread');
    const name = kind === 'stdin' ? '[stdin]' : isMainThread ? '[eval]' : '[worker eval]';
    const directory = native.cwd();
    const module = new Module(name);
    module.filename = path.join(directory, name);
    module.paths = resolve.lookUpPaths(directory);
    if (kind !== 'stdin' && isMainThread)
        native.exposeBuiltins();
    // The text is a script: the variables of a CommonJS module are not its
    // parameters, and it may declare them.
    const isModule = !native.isScript(text) && native.detectModule(text);
    if (isModule && kind === 'print')
        throw coded(Error, 'ERR_EVAL_ESM_CANNOT_PRINT',
            '--print cannot be used with ESM input');
    if (isModule)
        return native.runMainText(text, urlOf(path.join(directory, `${name}1`)));
    expose(module, { __filename: name, __dirname: '.' });
    const value = native.evaluate(text, name);
    if (kind === 'print')
        require('program/console').log(value);
    return undefined;
}

function main(kind, text) {
    // A worker has options of its parent, such as --unhandled-rejections.
    if (require('threads/thread').start?.execArgv !== undefined)
        require('program/process');
    return kind === 'file' ? runFile(text) : kind === 'repl' ? runRepl()
        : kind === 'test' ? require('test/main').start()
            : kind === 'top' ? require('live/top').start()
                : kind === 'jobs' ? require('jobs/command').start() : runText(kind, text);
}

module.exports = { Module, cache, resolveImport, link, imports, running, executing, askFor, loading,
    isRead, known, namesOf, prepareOnce, load: loadImported, fillMeta, main, pathOf,
    urlOf, prepare: native.prepare, evaluate: native.evaluate,
    evaluateNow: native.evaluateNow, nesting: native.nesting };
