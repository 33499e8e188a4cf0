exports.a = 1;
exports.b = require('./plain.mjs').one;
