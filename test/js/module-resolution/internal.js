module.exports = "internal";
