// Bytes that are one too many for a string: ERR_STRING_TOO_LONG, wherever they are
// decoded.
// long: address
'use strict';

const { Buffer, constants } = require('buffer');
const { StringDecoder } = require('string_decoder');

const bytes = Buffer.alloc(constants.MAX_STRING_LENGTH + 1);
for (const decode of [() => bytes.toString(), () => bytes.utf8Slice(),
    () => new TextDecoder().decode(bytes), () => new StringDecoder('utf8').write(bytes)])
    try {
        console.log(decode().length);
    } catch (error) {
        console.log(error.name, error.code, error.message ===
            `Cannot create a string longer than 0x${constants.MAX_STRING_LENGTH.toString(16)} characters`);
    }
