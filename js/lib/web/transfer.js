// SPDX-License-Identifier: MIT
// transfer -- streams that are sent to another thread: the cross-realm transforms
// of the Streams Standard.
//
// The stream stays where it is, and is piped through a port.  Messages are {type,
// value}: "pull" asks for a chunk, "chunk", "close" and "error" answer.  Like
// Node's, the ports do not keep the program alive.
'use strict';

const { handled, newPromise } = require('web/base');
const { adoptTransform, Transform } = require('web/transform');

const refused = (name) => new DOMException(`Cannot transfer a locked ${name}`,
    'DataCloneError');

function listen(port, hear) {
    port.on('message', hear);
    port.on('messageerror', () => hear({ type: 'error',
        value: new DOMException('Internal transferred ReadableStream error',
            'DataCloneError') }));
    port.unref();
}

// Errors that cannot be cloned arrive as another one.
function post(port, type, value) {
    try {
        port.postMessage({ type, value });
    } catch (error) {
        if (type !== 'error')
            throw error;
        port.postMessage({ type, value: new DOMException(
            'Internal transferred ReadableStream error', 'DataCloneError') });
    }
}

function fail(port, reason) {
    post(port, 'error', reason);
    port.close();
}

// The end that reads from the port.
function makeReadable(port) {
    const { ReadableStream } = require('web/readable');
    return new ReadableStream({
        start(controller) {
            listen(port, ({ type, value }) => {
                if (type === 'chunk')
                    controller.enqueue(value);
                else if (type === 'close')
                    controller.close();
                else
                    controller.error(value);
                if (type !== 'chunk')
                    port.close();
            });
        },
        pull() { post(port, 'pull'); },
        cancel(reason) { fail(port, reason); },
    }, { highWaterMark: 0 });
}

// The end that writes to it: a chunk for each "pull".
function makeWritable(port) {
    const { WritableStream } = require('web/writable');
    let pulled = newPromise();
    return new WritableStream({
        start(controller) {
            listen(port, ({ type, value }) => {
                if (type === 'error') {
                    controller.error(value);
                    port.close();
                }
                pulled.resolve();
            });
        },
        async write(chunk) {
            await pulled.promise;
            pulled = newPromise();
            try {
                post(port, 'chunk', chunk);
            } catch (error) {
                fail(port, new DOMException('Internal transferred ReadableStream error',
                    'DataCloneError'));
                throw error;
            }
        },
        close() {
            post(port, 'close');
            port.close();
        },
        abort(reason) { fail(port, reason); },
    });
}

function makeTransform([readable, writable]) {
    const { streamOf } = require('web/readable'), { writableOf } = require('web/writable');
    const record = new Transform(undefined, {});
    record.readable = streamOf(makeReadable(readable));
    record.writable = writableOf(makeWritable(writable));
    record.hasBackpressure = undefined;
    return adoptTransform(record);
}

// ---- what is transferred ----

const newChannel = () => {
    const { port1, port2 } = new (require('messages/messaging').MessageChannel)();
    return [port1, port2];
};

function sendReadable(object) {
    if (object.locked)
        throw refused('ReadableStream');
    const [mine, theirs] = newChannel();
    return { parts: ['readable', theirs], ports: [theirs],
        commit: () => handled(object.pipeTo(makeWritable(mine))) };
}

function sendWritable(object) {
    if (object.locked)
        throw refused('WritableStream');
    const [mine, theirs] = newChannel();
    return { parts: ['writable', theirs], ports: [theirs],
        commit: () => handled(makeReadable(mine).pipeTo(object)) };
}

function sendTransform({ readable, writable }) {
    const first = sendReadable(readable), second = sendWritable(writable);
    return { parts: ['transform', ...first.ports, ...second.ports],
        ports: [...first.ports, ...second.ports],
        commit() {
            first.commit();
            second.commit();
        } };
}

module.exports = { makeReadable, makeWritable, makeTransform, sendReadable, sendWritable,
    sendTransform };
