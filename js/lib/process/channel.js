// SPDX-License-Identifier: MIT
// process/channel -- messages between a process and a child that it has forked,
// in Node's format, so that either may be Node.
//
// The channel is a Unix socket.  A message is a line of JSON, or, in the advanced
// format, a length and what v8.serialize returns.  Both ends have send(),
// disconnect(), `connected` and `channel`.
//
// A child's end keeps it running while somebody listens for messages; a parent's
// end, until the channel is closed.
'use strict';

const EventEmitter = require('events/events');
const { Socket } = require('net/socket');
const { nextTick } = require('timers/timers');
const { StringDecoder } = require('bytes/stringdecoder');
const { coded, invalidArgType } = require('core/errors');
const { checkObject } = require('process/arguments');

const FULL = 2 * 65536;

// ---- formats ----

// encode(message) returns what is sent; decode(bytes) the messages that are
// complete.
function newJson() {
    const decoder = new StringDecoder('utf8');
    let rest = '';
    return {
        encode: (message) => `${JSON.stringify(message)}\n`,
        decode(bytes) {
            const lines = (rest + decoder.write(bytes)).split('\n');
            rest = lines.pop();
            return lines.map((line) => JSON.parse(line));
        },
    };
}

// ---- one end ----

// The property `channel`.
class Control extends EventEmitter {
    #socket;
    #refs = 0;
    #isExplicit = false; // the program has called ref() or unref()

    constructor(socket) {
        super();
        this.#socket = socket;
    }

    get fd() { return this.#socket._handle?.fd; }

    // A listener for messages has come or gone.
    refCounted() {
        if (++this.#refs === 1 && !this.#isExplicit)
            this.#socket.ref();
    }
    unrefCounted() {
        if (--this.#refs === 0 && !this.#isExplicit) {
            this.#socket.unref();
            this.emit('unref');
        }
    }

    ref() {
        this.#isExplicit = true;
        this.#socket.ref();
    }
    unref() {
        this.#isExplicit = true;
        this.#socket.unref();
    }
    hasRef() { return this.#socket._handle?.hasRef() ?? false; }
}

// Deliver what has arrived: at once, or when somebody listens.
function deliver(target, waiting, message) {
    if (typeof message === 'object' && message !== null && typeof message.cmd === 'string' &&
        message.cmd.startsWith('NODE_')) {
        nextTick(() => target.emit('internalMessage', message, undefined));
        return;
    }
    if (target.listenerCount('message') === 0) {
        waiting.push(message);
        return;
    }
    nextTick(() => target.emit('message', message, undefined));
}

function checkMessage(message) {
    if (message === undefined)
        throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "message" argument must be specified');
    if (!['string', 'object', 'number', 'boolean'].includes(typeof message))
        throw invalidArgType('message', 'one of type string, object, number, or boolean', message);
}

// (message, handle, options, callback), where the last three may be left out.
function splitSend(handle, options, callback) {
    if (typeof handle === 'function')
        return [undefined, undefined, handle];
    if (typeof options === 'function')
        return [handle, undefined, options];
    if (options !== undefined)
        checkObject(options, 'options');
    return [handle, options, callback];
}

// `source` is the {handle} or {fd} of the socket.
function attach(target, source, mode, onClosed = () => {}) {
    const format = mode === 'advanced' ? require('process/advanced').newAdvanced()
        : newJson();
    const socket = new Socket({ ...source, allowHalfOpen: true });
    const waiting = []; // messages that nobody has listened for
    target.channel = new Control(socket);
    target.connected = true;

    function fail(error, callback) {
        if (typeof callback === 'function')
            nextTick(callback, error);
        else
            nextTick(() => target.emit('error', error));
        return false;
    }

    target.send = function (message, given, options, callback) {
        const [sent, , done] = splitSend(given, options, callback);
        if (!this.connected)
            return fail(coded(Error, 'ERR_IPC_CHANNEL_CLOSED', 'Channel closed'), done);
        checkMessage(message);
        if (sent != null)
            throw coded(TypeError, 'ERR_INVALID_HANDLE_TYPE', 'This handle type cannot be sent');
        socket.write(format.encode(message), (error) => {
            if (typeof done === 'function')
                done(error ?? null);
            else if (error)
                target.emit('error', error);
        });
        return socket.writableLength < FULL;
    };

    let isClosing = false;
    function close() {
        if (isClosing)
            return;
        isClosing = true;
        target.connected = false;
        nextTick(() => {
            target.channel = null;
            socket.destroySoon(); // what was sent still arrives
            target.emit('disconnect');
        });
    }
    target._disconnect = close;
    target.disconnect = function () {
        if (!this.connected) {
            this.emit('error', coded(Error, 'ERR_IPC_DISCONNECTED',
                'IPC channel is already disconnected'));
            return;
        }
        close();
    };

    target.on('newListener', (name) => {
        if (name === 'message' && waiting.length > 0)
            nextTick(() => {
                if (target.listenerCount('message') > 0)
                    for (const message of waiting.splice(0))
                        target.emit('message', message, undefined);
            });
    });
    socket.on('data', (bytes) => {
        let messages;
        try {
            messages = format.decode(bytes);
        } catch (error) { // it does not speak our language
            close();
            target.emit('error', error);
            return;
        }
        for (const message of messages)
            deliver(target, waiting, message);
    });
    socket.on('end', close);
    socket.on('error', close);
    socket.on('close', () => {
        close();
        onClosed();
    });
    return socket;
}

// The end of a process that was forked.
function open(process, fd, mode) {
    const socket = attach(process, { fd }, mode);
    const { channel } = process;
    socket.unref();
    const isHeard = (name) => name === 'message' || name === 'disconnect';
    process.on('newListener', (name) => {
        if (isHeard(name))
            channel.refCounted();
    });
    process.on('removeListener', (name) => {
        if (isHeard(name))
            channel.unrefCounted();
    });
}

module.exports = { attach, open };
