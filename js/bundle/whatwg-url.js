// The parser and serialisers; js/lib/url/url.js has the classes.
module.exports = {
    ...require('whatwg-url/lib/url-state-machine.js'),
    ...require('whatwg-url/lib/urlencoded.js'),
};
