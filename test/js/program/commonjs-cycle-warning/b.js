const a = require('./main');
console.log(a, Object.keys(a), a.early, a.late, a.__esModule, `${a}`, 'late' in a,
    Object.hasOwn(a, 'late'), JSON.stringify(a));
const { other } = a;
exports.seen = other;
require('./c');
module.exports = { replaced: true };
