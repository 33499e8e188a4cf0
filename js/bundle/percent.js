// percentEncodeAfterEncoding of @exodus/bytes for UTF-8, the only encoding that
// URL and URLSearchParams ask for; without its tables of the others.
'use strict';

const encoder = new TextEncoder();

exports.percentEncodeAfterEncoding = (encoding, input, set) => {
    let text = '';
    for (const byte of encoder.encode(input)) {
        const char = String.fromCharCode(byte);
        text += byte < 0x20 || byte > 0x7e || set.includes(char)
            ? `%${byte.toString(16).toUpperCase().padStart(2, '0')}` : char;
    }
    return text;
};
