// SPDX-License-Identifier: MIT
// lazy -- a Transform whose state is made when it is first used as a stream, because
// most digests and ciphers are fed with update().
'use strict';

const { Transform } = require('stream/stream');

function LazyTransform(options) {
    this._options = options;
}
Object.setPrototypeOf(LazyTransform.prototype, Transform.prototype);
Object.setPrototypeOf(LazyTransform, Transform);
for (const name of ['_readableState', '_writableState'])
    Object.defineProperty(LazyTransform.prototype, name, {
        get() {
            Transform.call(this, this._options);
            this._writableState.decodeStrings = false;
            return this[name];
        },
        set(value) {
            Object.defineProperty(this, name,
                { value, enumerable: true, configurable: true, writable: true });
        },
        configurable: true, enumerable: true,
    });

module.exports = LazyTransform;
