// SPDX-License-Identifier: MIT
// vm -- node:vm: scripts, and contexts that are realms of the engine.
//
// A context is an object with a hidden field, its realm: {global, run}.  A
// WeakMap would keep it forever, since the realm refers to the object; it serves
// only objects that cannot be extended.
'use strict';

const { coded, invalidArgType, invalidArgValue, checkFunction,
    outOfRange } = require('core/errors');
const hooks = require('core/hooks');

const shared = { SharedArrayBuffer, Atomics,
    intl: 'Intl' in globalThis ? () => require('intl/intl') : undefined };
const isArray = Array.isArray;

// ---- options ----

const refused = (what) => coded(Error, 'ERR_METHOD_NOT_IMPLEMENTED',
    `${what} is not implemented`);

function checkObject(value, name, isNullable) {
    if (value === null ? !isNullable : typeof value !== 'object' || isArray(value))
        throw invalidArgType(name, 'of type object', value);
}

// An object or a function.
function checkTarget(value, name) {
    if (value === null || (typeof value !== 'object' && typeof value !== 'function'))
        throw invalidArgType(name, 'of type object', value);
}

function checkType(value, name, type) {
    if (typeof value !== type)
        throw invalidArgType(name, `of type ${type}`, value);
}

function checkOptional(value, name, type) {
    if (value !== undefined)
        checkType(value, name, type);
}

function checkArray(value, name) {
    if (!isArray(value))
        throw invalidArgType(name, 'an instance of Array', value);
}

function checkRange(value, name, least, most) {
    checkType(value, name, 'number');
    if (!Number.isInteger(value))
        throw outOfRange(name, 'an integer', value);
    if (value < least || value > most)
        throw outOfRange(name, `>= ${least} && <= ${most}`, value);
}

const isView = (value) => ArrayBuffer.isView(value);

function checkData(value, name) {
    if (value !== undefined && !isView(value))
        throw invalidArgType(name, 'an instance of Buffer, TypedArray, or DataView', value);
}

// The place of code: {file, line, column}, from `lineOffset` and `columnOffset`.
function placeOf(options, file) {
    const { filename = file, lineOffset = 0, columnOffset = 0 } = options;
    checkType(filename, 'options.filename', 'string');
    checkRange(lineOffset, 'options.lineOffset', -(2 ** 31), 2 ** 31 - 1);
    checkRange(columnOffset, 'options.columnOffset', -(2 ** 31), 2 ** 31 - 1);
    if (columnOffset < 0)
        throw refused('A negative options.columnOffset');
    if (columnOffset > 2 ** 20)
        throw refused('An options.columnOffset above 1048576');
    return { file: filename, line: lineOffset + 1, column: columnOffset };
}

// {timeout, breakOnSigint} -> [milliseconds, whether SIGINT ends it]
function limitsOf(options) {
    checkObject(options, 'options');
    const { timeout, breakOnSigint = false } = options;
    if (timeout !== undefined)
        checkRange(timeout, 'options.timeout', 1, 2 ** 32 - 1);
    checkType(breakOnSigint, 'options.breakOnSigint', 'boolean');
    if (breakOnSigint && !require('threads/worker_threads').isMainThread)
        throw refused('options.breakOnSigint in a worker');
    return [timeout ?? 0, breakOnSigint];
}

// ---- import() ----

const constants = Object.freeze({
    __proto__: null,
    USE_MAIN_CONTEXT_DEFAULT_LOADER: Symbol('vm_dynamic_import_main_context_default'),
    DONT_CONTEXTIFY: Symbol('vm_context_no_contextify'),
});

const [MISSING, FLAG, ALLOWED] = [
    ['ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING',
        'A dynamic import callback was not specified.'],
    ['ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING_FLAG',
        'A dynamic import callback was invoked without --experimental-vm-modules'],
    undefined,
];

// The names of code that ran in the program's own context -> why it cannot import.
// The engine knows code by its name only: a module's name stays that module's, and
// the last code of a name decides.
const files = new Map();

function importerOf(options) {
    const { importModuleDynamically: given } = options;
    if (given === undefined)
        return MISSING;
    if (given === constants.USE_MAIN_CONTEXT_DEFAULT_LOADER)
        return ALLOWED;
    checkFunction(given, 'options.importModuleDynamically');
    return FLAG;
}

function isModule(file) {
    const { cache, known, urlOf } = require('program/module');
    return file in cache || known.has(file) ||
        (file.startsWith('/') && known.has(urlOf(file)));
}

function setImporter(file, importer) {
    if (importer === ALLOWED)
        files.delete(file);
    else if (!isModule(file))
        files.set(file, importer);
}

hooks.checkImport = (parent) => {
    const why = parent === undefined ? MISSING : files.get(parent);
    if (why !== undefined && (parent === undefined || !isModule(parent)))
        throw coded(TypeError, ...why);
};

// Another context cannot import from the program's.
function checkImporter(importer) {
    if (importer === ALLOWED)
        throw refused('vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER in another context');
}

// ---- contexts ----

class Realm extends function (object) { return object; } {
    #realm;

    constructor(object, realm) {
        super(object);
        this.#realm = realm;
    }

    static of(object) {
        return #realm in object ? object.#realm : unextensible.get(object);
    }
}

const unextensible = new WeakMap();

function setRealm(object, realm) {
    if (Object.isExtensible(object))
        new Realm(object, realm);
    else
        unextensible.set(object, realm);
}

function isContext(object) {
    checkTarget(object, 'object');
    return Realm.of(object) !== undefined;
}

function realmOf(object) {
    checkTarget(object, 'contextifiedObject');
    const realm = Realm.of(object);
    if (realm === undefined)
        throw invalidArgType('contextifiedObject', 'an vm.Context', object);
    return realm;
}

function createContext(object = {}, options = {}) {
    const isPlain = object === constants.DONT_CONTEXTIFY;
    if (!isPlain) {
        checkTarget(object, 'object');
        if (Realm.of(object) !== undefined)
            return object;
    }
    checkObject(options, 'options');
    const { name = 'VM Context', origin, codeGeneration, microtaskMode } = options;
    checkType(name, 'options.name', 'string');
    checkOptional(origin, 'options.origin', 'string');
    let strings = true;
    if (codeGeneration !== undefined) {
        checkObject(codeGeneration, 'options.codeGeneration');
        const { wasm = true } = codeGeneration;
        ({ strings = true } = codeGeneration);
        checkType(strings, 'options.codeGeneration.strings', 'boolean');
        checkType(wasm, 'options.codeGeneration.wasm', 'boolean');
    }
    if (microtaskMode === 'afterEvaluate')
        throw refused("options.microtaskMode 'afterEvaluate'");
    if (microtaskMode !== undefined)
        throw invalidArgValue('options.microtaskMode', microtaskMode,
            "must be one of: 'afterEvaluate', undefined");
    const realm = { run: undefined, global: undefined };
    const global = native.createRealm(isPlain ? undefined : object, shared, strings, realm);
    realm.global = global;
    setRealm(isPlain ? global : object, realm);
    return isPlain ? global : object;
}

// Node's names of the options with which other functions create one.
function contextOptions(options) {
    const { contextName: name, contextOrigin: origin, contextCodeGeneration: codeGeneration,
        microtaskMode } = options;
    checkOptional(name, 'options.contextName', 'string');
    checkOptional(origin, 'options.contextOrigin', 'string');
    if (codeGeneration !== undefined) {
        checkObject(codeGeneration, 'options.contextCodeGeneration');
        checkOptional(codeGeneration.strings, 'options.contextCodeGeneration.strings', 'boolean');
        checkOptional(codeGeneration.wasm, 'options.contextCodeGeneration.wasm', 'boolean');
    }
    return { name, origin, codeGeneration, microtaskMode };
}

// ---- scripts ----

const mapUrl = (source) =>
    /^[ \t]*\/\/[#@][ \t]*sourceMappingURL=(\S+)[ \t]*$/m.exec(source.slice(
        source.lastIndexOf('sourceMappingURL=') - 100 > 0
            ? source.lastIndexOf('\n', source.lastIndexOf('sourceMappingURL=')) + 1 : 0))?.[1] ??
    /\/\/[#@][ \t]*sourceMappingURL=(\S+)[ \t]*$/.exec(source)?.[1];

// The engine's bytecode cannot be checked, so it is not read from a program's
// data: that is always rejected, as V8 rejects what another version wrote.
class Script {
    #code;
    #importer;
    #file;

    constructor(code, options = {}) {
        const source = `${code}`;
        if (typeof options === 'string')
            options = { filename: options };
        else
            checkObject(options, 'options');
        const place = placeOf(options, 'evalmachine.<anonymous>');
        const { cachedData, produceCachedData = false } = options;
        checkData(cachedData, 'options.cachedData');
        checkType(produceCachedData, 'options.produceCachedData', 'boolean');
        this.#importer = importerOf(options);
        this.#file = place.file;
        this.#code = native.compile(source, place.file, place.line, place.column);
        if (cachedData !== undefined)
            this.cachedDataRejected = true;
        if (produceCachedData) {
            this.cachedDataProduced = true;
            this.cachedData = this.createCachedData();
        }
        this.sourceMapURL = mapUrl(source);
    }

    runInThisContext(options = {}) {
        const [timeout, breaks] = limitsOf(options);
        setImporter(this.#file, this.#importer);
        return native.run(this.#code, undefined, undefined, undefined, timeout, breaks);
    }

    runInContext(contextifiedObject, options = {}) {
        const { run } = realmOf(contextifiedObject);
        const [timeout, breaks] = limitsOf(options);
        checkImporter(this.#importer);
        return run(this.#code, undefined, undefined, undefined, timeout, breaks);
    }

    runInNewContext(contextObject, options = {}) {
        checkObject(options, 'options');
        const context = createContext(contextObject, contextOptions(options));
        return this.runInContext(context, options);
    }

    createCachedData() {
        return require('bytes/buffer').Buffer.alloc(0);
    }
}

const createScript = (code, options) => new Script(code, options);

const asOptions = (options) => typeof options === 'string' ? { filename: options } : options;

// Like a script that is compiled in that context.
function runInContext(code, contextifiedObject, given) {
    const { run } = realmOf(contextifiedObject);
    const options = asOptions(given) ?? {};
    checkObject(options, 'options');
    const place = placeOf(options, 'evalmachine.<anonymous>');
    checkData(options.cachedData, 'options.cachedData');
    const [timeout, breaks] = limitsOf(options);
    checkImporter(importerOf(options));
    return run(`${code}`, place.file, place.line, place.column, timeout, breaks);
}

function runInNewContext(code, contextObject, given) {
    const options = asOptions(given) ?? {};
    checkObject(options, 'options');
    const context = createContext(contextObject, contextOptions(options));
    return runInContext(code, context, options);
}

const runInThisContext = (code, given) => {
    const options = asOptions(given);
    return createScript(code, options).runInThisContext(options);
};

// ---- functions ----

const isName = (text) => /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u.test(text);

// The extensions are objects of `with` statements around the function.
function textOf(source, params, count) {
    let before = '';
    for (let i = 0; i < count; i++)
        before += `with (weir$extension${i}) `;
    const own = `function (${params.join(', ')}) {\n${source}\n}`;
    if (count === 0)
        return [own, `(${own})`];
    const names = Array.from({ length: count }, (_, i) => `weir$extension${i}`);
    return [own, `(function (${names.join(', ')}) { ${before}return (${own}) })`];
}

const { toString } = Function.prototype;

function compileFunction(code, params, options = {}) {
    checkType(code, 'code', 'string');
    if (params !== undefined) {
        checkArray(params, 'params');
        params.forEach((name, i) => checkType(name, `params[${i}]`, 'string'));
    }
    checkObject(options, 'options');
    const place = placeOf(options, '');
    const { cachedData, produceCachedData = false, parsingContext, contextExtensions = [] } =
        options;
    checkData(cachedData, 'options.cachedData');
    checkType(produceCachedData, 'options.produceCachedData', 'boolean');
    if (parsingContext !== undefined && (parsingContext === null ||
        (typeof parsingContext !== 'object' && typeof parsingContext !== 'function') ||
        Realm.of(parsingContext) === undefined))
        throw invalidArgType('options.parsingContext', 'an instance of Context', parsingContext);
    checkArray(contextExtensions, 'options.contextExtensions');
    contextExtensions.forEach((extension, i) =>
        checkObject(extension, `options.contextExtensions[${i}]`));
    const importer = importerOf(options);
    for (const name of params ?? [])
        if (!isName(name))
            throw new SyntaxError(`Unexpected parameter '${name}'`);
    if (parsingContext !== undefined)
        checkImporter(importer);
    else
        setImporter(place.file, importer);
    const [own, text] = textOf(code, params ?? [], contextExtensions.length);
    const { run } = parsingContext === undefined ? native : Realm.of(parsingContext);
    // The function's head is a line of its own.  Its column is that of its body,
    // which is only known to be whole if the function is all of its text.
    const body = ' '.repeat(place.column) + code;
    const shifted = place.column === 0 ? text : text.replace(own,
        () => own.replace(`\n${code}`, () => `\n${body}`));
    let made = run(shifted, place.file, place.line - 1, 0, 0, false);
    if (contextExtensions.length > 0)
        made = made(...contextExtensions);
    if (typeof made !== 'function' || (place.column === 0 && toString.call(made) !== own) ||
        (place.column > 0 && toString.call(made) !== own.replace(`\n${code}`, () => `\n${body}`)))
        throw new SyntaxError("Unexpected token '}'");
    Object.defineProperty(made, 'name', { value: '', configurable: true });
    if (cachedData !== undefined)
        made.cachedDataRejected = true;
    if (produceCachedData) {
        made.cachedDataProduced = true;
        made.cachedData = require('bytes/buffer').Buffer.alloc(0);
    }
    return made;
}

module.exports = { Script, createContext, createScript, runInContext, runInNewContext,
    runInThisContext, isContext, compileFunction };
require('program/absent').addFunctions(module.exports, 'vm', 'measureMemory');
module.exports.constants = constants;
