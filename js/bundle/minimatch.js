// Patterns of file names; js/lib/fs/glob.js asks for it.
const { GLOBSTAR, Minimatch } = require('minimatch');
module.exports = { GLOBSTAR, Minimatch };
