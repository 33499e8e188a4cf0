// The names that a CommonJS source exports; js/lib/program/names.js asks for it.
module.exports = require('cjs-module-lexer').parse;
