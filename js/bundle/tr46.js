// Domain names beyond ASCII; js/lib/url/idna.js asks for it when it meets one.
module.exports = require('tr46');
