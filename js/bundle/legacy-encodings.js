// The encodings of the Encoding Standard that js/bytes/encoding.c does not know;
// js/lib/bytes/encoding.js asks for them by their names.
const labels = require('./node_modules/@exodus/bytes/fallback/encoding.labels.js').default;
const { encodingDecoder } = require('./node_modules/@exodus/bytes/fallback/single-byte.js');
const { multibyteDecoder } = require('./node_modules/@exodus/bytes/fallback/multi-byte.js');

const multibyte = new Set(['gbk', 'gb18030', 'big5', 'euc-jp', 'iso-2022-jp', 'shift_jis', 'euc-kr']);

// The name of the encoding with this label, in lower case, or undefined.
exports.nameOf = (label) => Object.hasOwn(labels, label) ? label
    : Object.keys(labels).find((name) => labels[name].includes(label));

// A function (bytes, isMore) that returns text.  If it is not lenient, it throws a
// TypeError.
exports.decoderOf = (name, isLenient) => {
    if (multibyte.has(name))
        return multibyteDecoder(name, isLenient);
    const decode = encodingDecoder(name);
    return (bytes) => decode(bytes, isLenient);
};
