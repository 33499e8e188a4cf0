// SPDX-License-Identifier: MIT
// host -- objects of the host that can be cloned, such as blobs, or transferred,
// such as streams and open files.
//
// A class whose objects can be cloned has a method [kHost] in its prototype, which
// returns [name, ...parts], or undefined if the object is not one.  One whose
// objects can only be transferred has a method [kTransfer] too.  It returns
// {parts: [name, ...parts], ports, commit}: what the message has, the ports that
// leave with it, and a function that is called once they have left.
// make(name, parts) in any host reassembles an object.
'use strict';

const kHost = Symbol('host'), kTransfer = Symbol('transfer');
native.setHost(kHost);

const makers = {
    __proto__: null,
    blob: (parts) => require('web/blob').hooks.makeBlob(parts),
    readable: ([port]) => require('web/transfer').makeReadable(port),
    writable: ([port]) => require('web/transfer').makeWritable(port),
    transform: (ports) => require('web/transfer').makeTransform(ports),
    key: (parts) => require('crypto/keys').makeKey(parts),
    cryptoKey: (parts) => require('crypto/keys').makeCryptoKey(parts),
    certificate: ([bytes]) => require('net/x509').makeCertificate(bytes),
    file: ([fd]) => require('fs/handle').adopt(fd),
};

const define = (proto, take) => Object.defineProperty(proto, kHost, { value: take });

function defineTransfer(proto, prepare) {
    define(proto, () => undefined);
    Object.defineProperty(proto, kTransfer, { value: prepare });
}

const prepared = new WeakMap(); // object -> parts, until they are written

// Replace the objects of a transfer list by the ports that leave for them.
function prepare(list) {
    const wanted = [], commits = [];
    for (const one of list) {
        const found = typeof one === 'object' && one !== null && kTransfer in one
            ? one[kTransfer]() : undefined;
        if (found === undefined) {
            wanted.push(one);
            continue;
        }
        prepared.set(one, found.parts);
        wanted.push(...found.ports);
        commits.push(found.commit);
    }
    if (commits.length > 0)
        wanted.commit = () => commits.forEach((commit) => commit());
    return wanted;
}

function take(object) {
    const parts = prepared.get(object);
    prepared.delete(object);
    return parts ?? object[kHost]();
}

const isTransferable = (object) => kTransfer in object;
const make = (name, parts) => makers[name](parts);

module.exports = { define, defineTransfer, isTransferable, make, prepare, take };
