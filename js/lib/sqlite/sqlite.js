// SPDX-License-Identifier: MIT
// sqlite -- node:sqlite: databases and statements that are used on this thread.
// The work is in C (js/sqlite).
'use strict';

const { plainly } = require('core/errors');
const { checkFunction, checkOptions, checkType, connectionOptions, flags: { ARRAYS, BARE_NAMES,
    BIG_INTS, EXTENSIONS, UNKNOWN_NAMES }, flagsOf, option, pathOf, statementOptions, timeoutOf,
wrongType } = require('sqlite/options');

// ---- statements ----

const iterators = new WeakMap(); // iterator -> {statement, run, isDone}

function result(done, value) {
    return { __proto__: null, done, value };
}

class StatementSyncIterator {
    constructor() {
        throw plainly(Error, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
    }

    next() {
        const own = iterators.get(this);
        if (own === undefined)
            throw new TypeError('Illegal invocation');
        const row = own.isDone ? undefined : native.next(own.statement, own.run);
        own.isDone = row === undefined;
        return own.isDone ? result(true, null) : result(false, row);
    }

    return() {
        const own = iterators.get(this);
        if (own === undefined)
            throw new TypeError('Illegal invocation');
        if (!own.isDone)
            native.end(own.statement, own.run);
        own.isDone = true;
        return result(true, null);
    }
}
Object.setPrototypeOf(StatementSyncIterator.prototype,
    Object.getPrototypeOf(Object.getPrototypeOf([].values())));

class StatementSync {
    constructor() {
        throw plainly(Error, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
    }

    iterate(...parameters) {
        const run = native.begin(this, ...parameters);
        const iterator = Object.create(StatementSyncIterator.prototype);
        iterators.set(iterator, { statement: this, run, isDone: false });
        return iterator;
    }

    setAllowBareNamedParameters(enabled) {
        native.setFlag(this, BARE_NAMES, checkType(enabled, 'boolean',
            'allowBareNamedParameters'));
    }

    setAllowUnknownNamedParameters(enabled) {
        native.setFlag(this, UNKNOWN_NAMES, checkType(enabled, 'boolean', 'enabled'));
    }

    setReadBigInts(enabled) {
        native.setFlag(this, BIG_INTS, checkType(enabled, 'boolean', 'readBigInts'));
    }

    setReturnArrays(enabled) {
        native.setFlag(this, ARRAYS, checkType(enabled, 'boolean', 'returnArrays'));
    }
}
Object.defineProperties(StatementSync.prototype,
    Object.getOwnPropertyDescriptors(native.methods)); // run, get, all, ...

// ---- sessions ----

class Session {
    constructor() {
        throw plainly(Error, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
    }

    changeset() { return native.changes(this, false); }
    patchset() { return native.changes(this, true); }
    close() { native.closeSession(this); }
    [Symbol.dispose]() {
        try {
            native.closeSession(this);
        } catch {} // it was closed before
    }
}

// ---- databases ----

const BIG_ARGUMENTS = 1, DETERMINISTIC = 2, DIRECT_ONLY = 4;
const functionOptions = [['useBigIntArguments', BIG_ARGUMENTS, false],
    ['deterministic', DETERMINISTIC, false], ['directOnly', DIRECT_ONLY, false]];

// SQLite allows fewer arguments than this.
function countOf(options, ...functions) {
    if (option(options, 'varargs', 'boolean', false))
        return -1;
    return Math.max(0, ...functions.filter(Boolean));
}

class Database {
    #path; #flags; #timeout; #statementFlags;
    #handle; // undefined: closed
    #allowsExtensions = false;

    constructor(path, options) {
        this.#path = pathOf(path);
        const given = checkOptions(options);
        const opens = option(given, 'open', 'boolean', true);
        this.#flags = flagsOf(given, connectionOptions);
        this.#timeout = timeoutOf(given);
        this.#statementFlags = flagsOf(given, statementOptions);
        if (opens)
            this.open();
    }

    // The open connection of C.
    get #open() {
        if (this.#handle === undefined)
            throw plainly(Error, 'ERR_INVALID_STATE', 'database is not open');
        return this.#handle;
    }

    static handleOf(database) { return database.#open; }
    static isDatabase(value) { return typeof value === 'object' && value !== null && #path in value; }

    open() {
        if (this.#handle !== undefined)
            throw plainly(Error, 'ERR_INVALID_STATE', 'database is already open');
        this.#handle = native.open(this.#path, this.#flags, this.#timeout);
        this.#allowsExtensions = (this.#flags & EXTENSIONS) !== 0;
    }

    close() {
        native.close(this.#open);
        this.#handle = undefined;
    }

    [Symbol.dispose]() {
        if (this.#handle !== undefined)
            this.close();
    }

    get isOpen() { return this.#handle !== undefined; }
    get isTransaction() { return native.isTransaction(this.#open); }

    exec(sql) {
        const handle = this.#open;
        native.exec(handle, checkType(sql, 'string', 'sql'));
    }

    prepare(sql) {
        const handle = this.#open;
        return native.prepare(handle, StatementSync.prototype,
            checkType(sql, 'string', 'sql'), this.#statementFlags);
    }

    location(name = 'main') {
        return native.location(this.#open, checkType(name, 'string', 'dbName'));
    }

    function(name, options, callback) {
        const handle = this.#open;
        checkType(name, 'string', 'name');
        const given = arguments.length < 3 ? {} : checkOptions(options ?? null);
        const flags = flagsOf(given, functionOptions);
        const call = checkFunction(arguments.length < 3 ? options : callback, 'function');
        native.defineFunction(handle, name, countOf(given, call.length), flags, call);
    }

    aggregate(name, options) {
        const handle = this.#open;
        checkType(name, 'string', 'name');
        const { start, step, result: end, inverse } = checkOptions(options ?? null);
        if (start === undefined)
            throw wrongType('options.start', 'a function or a primitive value');
        checkFunction(step, 'options.step');
        if (inverse !== undefined)
            checkFunction(inverse, 'options.inverse');
        const count = countOf(options, step.length - 1, inverse && inverse.length - 1);
        native.defineAggregate(handle, name, count, flagsOf(options, functionOptions),
            start, step, typeof end === 'function' ? end : undefined, inverse);
    }

    createSession(options) {
        const handle = this.#open, given = checkOptions(options);
        const table = option(given, 'table', 'string'), db = option(given, 'db', 'string');
        return native.createSession(handle, Session.prototype, table, db);
    }

    applyChangeset(changeset, options) {
        const handle = this.#open;
        if (!(changeset instanceof Uint8Array))
            throw wrongType('changeset', 'a Uint8Array');
        const { onConflict, filter } = checkOptions(options);
        if (onConflict !== undefined)
            checkFunction(onConflict, 'options.onConflict');
        if (filter !== undefined)
            checkFunction(filter, 'options.filter');
        return native.applyChanges(handle, changeset, filter, onConflict);
    }

    enableLoadExtension(allow) {
        const handle = this.#open;
        checkType(allow, 'boolean', 'allow');
        if (allow && (this.#flags & EXTENSIONS) === 0)
            throw plainly(Error, 'ERR_INVALID_STATE', 'Cannot enable extension loading ' +
                'because it was disabled at database creation.');
        native.enableExtensions(handle, allow);
        this.#allowsExtensions = allow;
    }

    loadExtension(path, entry) {
        const handle = this.#open;
        if (!this.#allowsExtensions)
            throw plainly(Error, 'ERR_INVALID_STATE', 'extension loading is not allowed');
        checkType(path, 'string', 'path');
        if (entry !== undefined)
            checkType(entry, 'string', 'entryPoint');
        native.loadExtension(handle, path, entry);
    }
}
const { handleOf, isDatabase } = Database;
delete Database.handleOf;
delete Database.isDatabase;

// As in Node, a call without `new` has an error of its own.
function DatabaseSync(path, options) {
    if (new.target === undefined)
        throw plainly(TypeError, 'ERR_CONSTRUCT_CALL_REQUIRED',
            'Cannot call constructor without `new`');
    return Reflect.construct(Database, [path, options], new.target);
}
DatabaseSync.prototype = Database.prototype;
Object.defineProperty(DatabaseSync.prototype, 'constructor',
    { value: DatabaseSync, writable: true, configurable: true });
Object.defineProperty(DatabaseSync, 'length', { value: 0 });

const constants = {
    SQLITE_CHANGESET_OMIT: 0, SQLITE_CHANGESET_REPLACE: 1, SQLITE_CHANGESET_ABORT: 2,
    SQLITE_CHANGESET_DATA: 1, SQLITE_CHANGESET_NOTFOUND: 2, SQLITE_CHANGESET_CONFLICT: 3,
    SQLITE_CHANGESET_CONSTRAINT: 4, SQLITE_CHANGESET_FOREIGN_KEY: 5,
};

function backup(source, path, options) {
    if (!isDatabase(source))
        throw wrongType('sourceDb', 'an object');
    return require('sqlite/backup')(handleOf(source), path, options);
}

module.exports = { DatabaseSync, StatementSync, constants, backup };
