module.exports = 'hidden';
