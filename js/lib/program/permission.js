// SPDX-License-Identifier: MIT
// permission -- process.permission, of a confined process.
'use strict';

const { invalidArgType } = require('core/errors');

module.exports = {
    has(scope, reference) {
        if (typeof scope !== 'string')
            throw invalidArgType('scope', 'of type string', scope);
        if (reference !== undefined && reference !== null && typeof reference !== 'string')
            throw invalidArgType('reference', 'of type string', reference);
        return native.has(scope, reference ?? undefined);
    },
};
