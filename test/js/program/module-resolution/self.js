module.exports = "self";
