// The names that a CommonJS source exports; js/lib/names.js asks for it.
module.exports = require('cjs-module-lexer').parse;
