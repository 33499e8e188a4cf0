// SPDX-License-Identifier: MIT
// host -- objects of the host that can be cloned, such as blobs.
//
// Such a class has a method [kHost] in its prototype, which returns [name,
// ...parts], or undefined if the object is not one.  make(name, parts) in any
// host reassembles it.
'use strict';

const kHost = Symbol('host');
native.setHost(kHost);

const makers = {
    __proto__: null,
    blob: (parts) => require('web/blob').hooks.makeBlob(parts),
};

function define(proto, take) {
    Object.defineProperty(proto, kHost, { value: take, writable: false });
}

const make = (name, parts) => makers[name](parts);
const take = (object) => object[kHost]();

module.exports = { define, make, take };
