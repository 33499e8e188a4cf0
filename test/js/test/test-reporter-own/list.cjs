'use strict';

const { Transform } = require('node:stream');

module.exports = class List extends Transform {
    constructor() {
        super({ writableObjectMode: true });
    }

    _transform({ type, data }, encoding, callback) {
        callback(null, `${type} ${data.name ?? data.count ?? ''} ${data.nesting} ` +
            `${data.testNumber ?? ''} ${data.details?.error?.cause.message ?? ''}\n`);
    }
};
