// SPDX-License-Identifier: MIT
// sqlite/async -- weir:sqlite: the databases of node:sqlite, whose work is done on
// the pool (js/sqlite/job.c).
//
// A database does one operation at a time, in the order of the calls: they wait in
// a lane.  A transaction is an operation with a lane of its own.  Calls that are
// made inside its function, directly or after an await, go there; all others wait
// until it has ended.
'use strict';

const { plainly, checkFunction } = require('core/errors');
const { checkOptions, checkType, connectionOptions, flagsOf, option, pathOf, statementOptions,
    timeoutOf } = require('sqlite/options');
const { AsyncLocalStorage } = require('events/async_hooks');

// The numbers are those of js/sqlite/job.c.
const EXEC = 1, PREPARE = 2, RUN = 3, ROWS = 4, RESET = 5, CLOSE = 6;
const ROWS_AT_ONCE = 256; // of an iterator

// ---- lanes ----

class Lane {
    #waiting = [];
    #isBusy = false;

    // Call start(resolve, reject) when it is its turn, which lasts until one of
    // these is called.
    enter(start) {
        return new Promise((resolve, reject) => {
            // What waits is started by another call: it keeps its own context.
            this.#waiting.push({ start: this.#isBusy ? AsyncLocalStorage.bind(start) : start,
                resolve, reject });
            this.#proceed();
        });
    }

    get isIdle() { return !this.#isBusy; }

    #proceed() {
        if (this.#isBusy || this.#waiting.length === 0)
            return;
        const { start, resolve, reject } = this.#waiting.shift();
        const end = (settle) => (value) => {
            this.#isBusy = false;
            settle(value);
            this.#proceed();
        };
        this.#isBusy = true;
        try {
            start(end(resolve), end(reject));
        } catch (error) {
            end(reject)(error);
        }
    }
}

const current = new AsyncLocalStorage(); // the innermost transaction

// The innermost transaction of a database that a call is made in.
function transactionOf(database) {
    let found = current.getStore();
    while (found !== undefined && (found.database !== database || found.lane === undefined))
        found = found.outer;
    return found;
}

// Arguments that wait are copied, as they are now.
function copied(parameters) {
    return parameters.map((value) => {
        if (ArrayBuffer.isView(value))
            return new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice();
        return typeof value === 'object' && value !== null ? { ...value } : value;
    });
}

// ---- statements ----

class Statement {
    #database; #handle; #run = 0;

    constructor(database, handle) {
        this.#database = database;
        this.#handle = handle;
    }

    // Bind the parameters and start an operation, in its turn.  begun.run becomes
    // the number of the execution: others may have begun when it is over.
    #enter(operation, mostRows, parameters, begun = {}) {
        const lane = laneOf(this.#database);
        const given = lane.isIdle ? parameters : copied(parameters);
        return lane.enter((resolve, reject) => {
            this.#run = 0; // the one before has ended, even if this one cannot begin
            begun.run = this.#run = native.begin(this.#handle, ...given);
            this.#start(resolve, reject, operation, mostRows);
        });
    }

    // Begin an execution and read its first rows.  If JavaScript cannot represent
    // them, it ends.
    async #begin(mostRows, parameters, begun) {
        try {
            return await this.#enter(ROWS, mostRows, parameters, begun);
        } catch (error) {
            if (begun.run !== undefined)
                await this.#continue(begun.run, RESET).catch(() => {});
            throw error;
        }
    }

    // The functions refer to this, and so keep the handle.
    #start(resolve, reject, operation, mostRows) {
        native.startStatement((value) => resolve(value, this), (error) => reject(error, this),
            this.#handle, operation, mostRows);
    }

    run(...parameters) { return this.#enter(RUN, 0, parameters); }

    async get(...parameters) {
        const begun = {}, [rows, isDone] = await this.#begin(1, parameters, begun);
        if (!isDone)
            await this.#continue(begun.run, RESET);
        return rows[0];
    }

    async all(...parameters) {
        return (await this.#enter(ROWS, 0, parameters))[0];
    }

    // Go on with an execution, unless another one has begun.
    #continue(run, operation) {
        return laneOf(this.#database).enter((resolve, reject) => {
            if (run !== this.#run) {
                if (operation === RESET)
                    return resolve();
                throw plainly(Error, 'ERR_INVALID_STATE', 'iterator was invalidated');
            }
            return this.#start(resolve, reject, operation, ROWS_AT_ONCE);
        });
    }

    async *iterate(...parameters) {
        const begun = {};
        let [rows, isDone] = await this.#begin(ROWS_AT_ONCE, parameters, begun);
        const { run } = begun;
        try {
            for (;;) {
                yield* rows;
                if (isDone)
                    return;
                [rows, isDone] = await this.#continue(run, ROWS);
            }
        } finally {
            if (!isDone && this.#database.isOpen)
                await this.#continue(run, RESET);
        }
    }

    get sourceSQL() { return Reflect.get(native.methods, 'sourceSQL', this.#handle); }
    columns() { return Reflect.apply(native.methods.columns, this.#handle, []); }
}

// ---- databases ----

let laneOf; // the lane of a database for a call that is made now

class Database {
    #handle = native.newDatabase();
    #lane = new Lane();
    #statementFlags;
    #isOpen = false;

    static {
        laneOf = (database) => transactionOf(database)?.lane ?? database.#lane;
    }

    constructor(key) {
        if (key !== Database.#key)
            throw plainly(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR',
                'Illegal constructor: call Database.open()');
    }

    static #key = Symbol('Database');

    static async open(path, options) {
        const file = pathOf(path), given = checkOptions(options);
        const flags = flagsOf(given, connectionOptions), timeout = timeoutOf(given);
        const database = new Database(Database.#key);
        database.#statementFlags = flagsOf(given, statementOptions);
        await database.#lane.enter((resolve, reject) => native.startOpen(
            (value) => resolve(value, database), (error) => reject(error, database),
            database.#handle, file, flags, timeout));
        database.#isOpen = true;
        return database;
    }

    get isOpen() { return this.#isOpen; }

    #check() {
        if (!this.#isOpen)
            throw plainly(Error, 'ERR_INVALID_STATE', 'database is not open');
    }

    // The functions refer to the prototype and to this, and so keep them.
    #enter(operation, text, lane = laneOf(this)) {
        return lane.enter((resolve, reject) => native.startText(
            (value) => resolve(value, this), (error) => reject(error, this),
            this.#handle, operation, text, Object.prototype, this.#statementFlags));
    }

    async exec(sql) {
        this.#check();
        await this.#enter(EXEC, checkType(sql, 'string', 'sql'));
    }

    async prepare(sql) {
        this.#check();
        return new Statement(this,
            await this.#enter(PREPARE, checkType(sql, 'string', 'sql')));
    }

    // Ends the statement that is being executed with an error; it has no effect on
    // those that wait.
    interrupt() { native.interrupt(this.#handle); }

    async close() {
        this.#check();
        if (transactionOf(this) !== undefined)
            throw plainly(Error, 'ERR_INVALID_STATE', 'a transaction is open');
        this.#isOpen = false;
        await this.#enter(CLOSE, undefined);
    }

    [Symbol.asyncDispose]() { return this.#isOpen ? this.close() : Promise.resolve(); }

    async backup(path, options) {
        this.#check();
        return laneOf(this).enter((resolve, reject) =>
            require('sqlite/backup')(this.#handle, path, options).then(resolve, reject));
    }

    // Run a function whose operations are committed together, or not at all if it
    // throws.  A transaction inside another one is a savepoint.
    async transaction(run, options) {
        this.#check();
        checkFunction(run, 'fn');
        const mode = option(checkOptions(options), 'mode', 'string', 'deferred');
        if (!['deferred', 'immediate', 'exclusive'].includes(mode))
            throw plainly(TypeError, 'ERR_INVALID_ARG_VALUE', "The property 'options.mode' " +
                `must be 'deferred', 'immediate' or 'exclusive'. Received '${mode}'`);
        const depth = (transactionOf(this)?.depth ?? -1) + 1;
        const [begin, commit, undo] = depth === 0
            ? [`BEGIN ${mode}`, 'COMMIT', 'ROLLBACK']
            : [`SAVEPOINT weir_${depth}`, `RELEASE weir_${depth}`,
                `ROLLBACK TO weir_${depth}; RELEASE weir_${depth}`];
        return laneOf(this).enter((resolve, reject) =>
            this.#transact(run, depth, begin, commit, undo).then(resolve, reject));
    }

    async #transact(run, depth, begin, commit, undo) {
        const lane = new Lane();
        const own = { database: this, outer: current.getStore(), depth, lane };
        await this.#enter(EXEC, begin, lane);
        try {
            const value = await current.run(own, run, this);
            own.lane = undefined; // later calls wait until it has ended
            await this.#enter(EXEC, commit, lane);
            return value;
        } catch (error) {
            own.lane = undefined;
            // SQLite may have rolled back by itself.
            await this.#enter(EXEC, undo, lane).catch(() => {});
            throw error;
        }
    }
}

module.exports = { Database, Statement };
