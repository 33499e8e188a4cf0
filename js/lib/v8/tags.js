// SPDX-License-Identifier: MIT
// v8/tags -- the letters of V8's format.
'use strict';

module.exports = {
    tags: { PADDING: '\0', UNDEFINED: '_', NULL: '0', TRUE: 'T', FALSE: 'F', INT32: 'I', UINT32: 'U',
        DOUBLE: 'N', BIGINT: 'Z', UTF8_STRING: 'S', ONE_BYTE_STRING: '"', TWO_BYTE_STRING: 'c',
        REFERENCE: '^', OBJECT: 'o', END_OBJECT: '{', SPARSE_ARRAY: 'a', END_SPARSE_ARRAY: '@',
        DENSE_ARRAY: 'A', END_DENSE_ARRAY: '$', HOLE: '-', DATE: 'D', TRUE_OBJECT: 'y',
        FALSE_OBJECT: 'x', NUMBER_OBJECT: 'n', BIGINT_OBJECT: 'z', STRING_OBJECT: 's', REGEXP: 'R',
        MAP: ';', END_MAP: ':', SET: "'", END_SET: ',', BUFFER: 'B', RESIZABLE_BUFFER: '~',
        TRANSFERRED_BUFFER: 't', VIEW: 'V', SHARED_BUFFER: 'u', HOST: '\\', ERROR: 'r' },
    flags: { g: 1, i: 2, m: 4, y: 8, u: 16, s: 32, d: 128, v: 256 },
    errorTags: { __proto__: null, EvalError: 'E', RangeError: 'R', ReferenceError: 'F',
        SyntaxError: 'S', TypeError: 'T', URIError: 'U', message: 'm', cause: 'c', stack: 's',
        end: '.' },
    viewTags: { Int8Array: 'b', Uint8Array: 'B', Uint8ClampedArray: 'C', Int16Array: 'w',
        Uint16Array: 'W', Int32Array: 'd', Uint32Array: 'D', Float16Array: 'h', Float32Array: 'f',
        Float64Array: 'F', DataView: '?', BigInt64Array: 'q', BigUint64Array: 'Q' },
};
