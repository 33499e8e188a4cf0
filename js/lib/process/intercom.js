// SPDX-License-Identifier: MIT
// process/intercom -- messages between the primary of a cluster and a worker.
'use strict';

const callbacks = new Map(); // number of a message -> {peer, callback}
let number = 0;

// Send a message, with or without a handle, to a ChildProcess or through
// `process`.  The callback gets the answer, if one comes.
function send(peer, message, handle, callback) {
    if (!peer.connected)
        return false;
    const seq = number++;
    if (callback !== undefined)
        callbacks.set(seq, { peer, callback });
    // That the other side has just ended is no error: the event 'disconnect' tells.
    return peer._send({ cmd: 'NODE_CLUSTER', ...message, seq }, handle, true);
}

// A listener for 'internalMessage'.  What is no answer goes to onMessage.
function listener(onMessage) {
    return (message, handle) => {
        if (message.cmd !== 'NODE_CLUSTER')
            return;
        const waiting = message.ack === undefined ? undefined : callbacks.get(message.ack);
        callbacks.delete(message.ack);
        (waiting?.callback ?? onMessage)(message, handle);
    };
}

// No more answers come from there.
function forget(peer) {
    for (const [seq, waiting] of callbacks)
        if (waiting.peer === peer)
            callbacks.delete(seq);
}

module.exports = { send, listener, forget };
