module.exports = 'js';
