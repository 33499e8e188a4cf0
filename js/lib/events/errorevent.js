// SPDX-License-Identifier: MIT
// errorevent -- ErrorEvent of the HTML Standard.
'use strict';

const { Event, reveal } = require('events/eventtarget');
const { coded } = require('core/errors');

class ErrorEvent extends Event {
    #message; #filename; #lineno; #colno; #error;

    constructor(type, init = undefined) {
        if (arguments.length === 0)
            throw coded(TypeError, 'ERR_MISSING_ARGS',
                'The "type" argument must be specified');
        super(type, init);
        this.#message = init?.message === undefined ? '' : `${init.message}`;
        this.#filename = init?.filename === undefined ? '' : `${init.filename}`;
        this.#lineno = init?.lineno >>> 0;
        this.#colno = init?.colno >>> 0;
        this.#error = init?.error;
    }
    get message() { return this.#message; }
    get filename() { return this.#filename; }
    get lineno() { return this.#lineno; }
    get colno() { return this.#colno; }
    get error() { return this.#error; }
}
reveal(ErrorEvent, 'message', 'filename', 'lineno', 'colno', 'error');

module.exports = { ErrorEvent };
