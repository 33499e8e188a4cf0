module.exports = 'evil';
