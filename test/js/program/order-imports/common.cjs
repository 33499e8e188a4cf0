console.log('common');
process.nextTick(() => console.log('tick of common'));
module.exports = 'exports of common';
