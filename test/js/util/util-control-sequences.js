// util.stripVTControlCharacters removes all control sequences, not only colours.
'use strict';
const { stripVTControlCharacters: strip, formatWithOptions, inspect } = require('util');

for (const text of ['\u001b[31mred\u001b[39m', '\u001b[2Kline', '\u001b[1;2Hat', '\u001b[?25lhidden\u001b[?25h',
    '\u001b]8;;http://example.com\u0007link\u001b]8;;\u0007', '\u001b]0;title\u001b\\rest', '\u009b31mcsi',
    '\u001b(Bset', '\u001b7saved\u001b8', '\u001bcreset', '\u001b[38;2;10;20;30mtrue', 'plain [31m',
    '\u001b[', '\u001b', '\u001b[999999mlong', '\u001b[1;2;3;4;5mmany'])
    console.log(JSON.stringify(text), JSON.stringify(strip(text)));

const options = { numericSeparator: true };
console.log(formatWithOptions(options, '%d %i %f %s %d %d %i', 1234567.891, 1234567.891,
    1234567.891, 1234567, 123456789n, -1234567, 1234567n));
console.log(formatWithOptions(options, '%d %s', '1234567', 12345n), inspect(0.0001234, options));
console.log(formatWithOptions({}, '%d %d %s %f', -0, 1234567n, 1234567, 'x'));
