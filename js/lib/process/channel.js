// SPDX-License-Identifier: MIT
// process/channel -- messages between a process and a child that it has forked,
// with or without a socket, in Node's format, so that either may be Node.
//
// The channel is a Unix socket.  A message is a line of JSON, or, in the advanced
// format, a length and what v8.serialize returns.  Both ends have send(),
// disconnect(), `connected` and `channel`.
//
// A child's end keeps it running while somebody listens for messages; a parent's
// end, until the channel is closed.
'use strict';

const EventEmitter = require('events/events');
const { Buffer } = require('bytes/buffer');
const { errnoError } = require('net/errors');
const { Socket } = require('net/socket');
require('net/descriptor'); // the class of what arrives
const { nextTick } = require('timers/timers');
const { StringDecoder } = require('bytes/stringdecoder');
const { coded, invalidArgType } = require('core/errors');
const { checkObject } = require('process/arguments');

const FULL = 2 * 65536;
const EPIPE = -32;
const TRIES = 3; // to send a handle again

const handles = () => require('process/handles');

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

const INTERNAL = 'NODE_';

const isInternal = (message) => typeof message === 'object' && message !== null &&
    typeof message.cmd === 'string' && message.cmd.length > INTERNAL.length &&
    message.cmd.startsWith(INTERNAL);
const isReply = (message) => message?.cmd === 'NODE_HANDLE_ACK' ||
    message?.cmd === 'NODE_HANDLE_NACK';

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

// The messages of one channel, in both directions.
//
// A handle travels with the message NODE_HANDLE, and the next message waits until
// the other side has confirmed it.  Without a handle it answers NODE_HANDLE_NACK,
// and gets the message again.  A socket that was sent is closed here when it was
// confirmed, or when the channel ends first.
class Channel {
    #target;
    #socket;
    #format;
    #control;
    #waiting = []; // [message, handle] that nobody has listened for
    #queue = null; // what is to be sent after the confirmation, if one is awaited
    #sent = null; // the handle that awaits it: {message, handle, options, callback, tries}
    #received = null; // a descriptor whose message is not complete

    constructor(target, socket, format, control) {
        this.#target = target;
        this.#socket = socket;
        this.#format = format;
        this.#control = control;
    }

    get isEmpty() { return this.#queue === null; }

    // ---- sending ----

    #fail(error, callback) {
        if (typeof callback === 'function')
            nextTick(callback, error);
        else
            nextTick(() => this.#target.emit('error', error));
        return false;
    }

    // Returns false if the program should wait.
    send(message, given, how, callback) {
        const options = typeof how === 'boolean' ? { swallowErrors: how } : how ?? {};
        checkMessage(message);
        const isHandle = given !== undefined && given !== null;
        const type = isHandle ? handles().kindOf(given) : undefined;
        if (this.#queue !== null && !isReply(message)) {
            this.#queue.push([message, given, options, callback]);
            return this.#queue.length === 1;
        }
        if (!isHandle)
            return this.#write(message, undefined, options, callback);
        const whole = { cmd: 'NODE_HANDLE', type, msg: message };
        const handle = handles().handleOf(this.#target, whole, given, options);
        if (!handle || handle.fd < 0) // it was sent before, or is closed
            return this.#write(message, undefined, options, callback);
        const isLeft = type === 'net.Socket' && !options.keepOpen;
        const err = this.#put(whole, handle.fd, options, callback);
        if (err === 0) {
            this.#queue ??= [];
            if (isLeft)
                this.#sent = { message: whole, handle, options, callback, tries: 0 };
        } else if (isLeft) {
            handle.close();
        }
        return this.#hasRoom();
    }

    #write(message, fd, options, callback) {
        this.#put(message, fd, options, callback);
        return this.#hasRoom();
    }

    #hasRoom() { return (this.#socket._handle?.writeQueueSize ?? 0) < FULL; }

    // Returns 0 or an error, which was reported.
    #put(message, fd, { swallowErrors }, callback) {
        const handle = this.#socket._handle, bytes = this.#format.encode(message);
        let isWaiting = false;
        const done = (error) => {
            if (isWaiting)
                this.#control.unrefCounted();
            if (error && !swallowErrors)
                this.#fail(error, callback);
            else if (typeof callback === 'function')
                callback(error ?? null);
        };
        const status = !handle ? EPIPE
            : fd !== undefined ? handle.sendDescriptor(Buffer.from(bytes), fd, done)
                : typeof bytes === 'string' ? handle.writeUtf8(bytes, done)
                    : handle.write(bytes, done);
        if (status < 0) {
            if (!swallowErrors)
                this.#fail(errnoError(status, 'write'), callback);
            return status;
        }
        isWaiting = status === 1;
        if (isWaiting)
            this.#control.refCounted();
        else if (typeof callback === 'function')
            nextTick(callback, null);
        return 0;
    }

    // ---- confirmations ----

    #closeSent() {
        this.#sent?.handle.close();
        this.#sent = null;
    }

    #onReply(isAccepted) {
        const queue = this.#queue, sent = this.#sent;
        if (queue === null)
            return; // nothing was sent
        this.#queue = null;
        if (isAccepted || sent?.tries === TRIES) {
            this.#closeSent();
            if (!isAccepted)
                require('program/process').emitWarning('Handle did not reach the receiving ' +
                    'process correctly', 'SentHandleNotReceivedWarning');
        } else if (sent !== null) {
            sent.tries++;
            if (this.#put(sent.message, sent.handle.fd, sent.options, sent.callback) === 0)
                this.#queue = [];
            else
                this.#closeSent();
        }
        for (const args of queue)
            this.send(...args);
        if (this.#queue === null && !this.#target.connected && this.#target.channel)
            this.#target._disconnect(); // which has waited for this
    }

    #onHandle(message, descriptor) {
        const isThere = descriptor !== undefined;
        this.send({ cmd: isThere ? 'NODE_HANDLE_ACK' : 'NODE_HANDLE_NACK' }, undefined, true);
        if (isThere)
            handles().receive(this.#target, message, descriptor,
                (handle) => this.#deliver(message.msg, handle));
    }

    // Listens first, as Node's own code does.
    onInternal(message, handle) {
        if (isReply(message))
            this.#onReply(message.cmd === 'NODE_HANDLE_ACK');
        else if (message.cmd === 'NODE_HANDLE')
            this.#onHandle(message, handle);
    }

    // ---- receiving ----

    // Deliver what has arrived: soon, or when somebody listens.
    #deliver(message, handle) {
        if (!this.#target.channel) {
            handle?.close?.();
            return;
        }
        nextTick(() => {
            if (isInternal(message))
                this.#target.emit('internalMessage', message, handle);
            else if (this.#target.listenerCount('message') > 0)
                this.#target.emit('message', message, handle);
            else
                this.#waiting.push([message, handle]);
        });
    }

    onListener() {
        if (this.#waiting.length > 0)
            nextTick(() => {
                if (this.#target.listenerCount('message') > 0)
                    for (const [message, handle] of this.#waiting.splice(0))
                        this.#target.emit('message', message, handle);
            });
    }

    onBytes(bytes) {
        const descriptor = this.#socket._handle?.takeDescriptor();
        if (descriptor !== undefined) {
            this.#received?.close();
            this.#received = descriptor;
        }
        for (const message of this.#format.decode(bytes)) {
            const isHandle = isInternal(message) && message.cmd === 'NODE_HANDLE';
            const got = isHandle ? this.#received ?? undefined : undefined;
            if (isHandle)
                this.#received = null;
            this.#deliver(message, got);
        }
    }

    end() {
        this.#closeSent();
        this.#received?.close();
        this.#received = null;
    }
}

// `source` is the {handle} or {fd} of the socket.
function attach(target, source, mode, onClosed = () => {}) {
    const format = mode === 'advanced' ? require('process/advanced').newAdvanced()
        : newJson();
    const socket = new Socket({ ...source, allowHalfOpen: true });
    const control = target.channel = new Control(socket);
    const channel = new Channel(target, socket, format, control);
    socket._handle.receiveDescriptors();
    target.connected = true;

    target.send = function (message, given, options, callback) {
        const [handle, how, done] = splitSend(given, options, callback);
        if (this.connected)
            return this._send(message, handle, how, done);
        const error = coded(Error, 'ERR_IPC_CHANNEL_CLOSED', 'Channel closed');
        if (typeof done === 'function')
            nextTick(done, error);
        else
            nextTick(() => this.emit('error', error));
        return false;
    };
    // With `true` for the options, nobody is told of errors.
    target._send = (message, handle, options, callback) =>
        channel.send(message, handle, options, callback);

    let isClosing = false;
    function close() {
        if (isClosing)
            return;
        isClosing = true;
        target.connected = false;
        target.channel = null;
        channel.end();
        nextTick(() => {
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
        this.connected = false;
        if (channel.isEmpty)
            close();
    };

    target.on('internalMessage', (message, handle) => channel.onInternal(message, handle));
    target.on('newListener', (name) => {
        if (name === 'message')
            channel.onListener();
    });
    socket.on('data', (bytes) => {
        try {
            channel.onBytes(bytes);
        } catch (error) { // it does not speak our language
            close();
            target.emit('error', error);
        }
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
