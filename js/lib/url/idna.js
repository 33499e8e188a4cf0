// SPDX-License-Identifier: MIT
// idna -- domain names for the URL parser, which uses this in place of tr46.
//
// The Unicode tables are large.  For ASCII names without "xn--", the URL
// Standard requires only lower-casing, so most programs never load them.
'use strict';

const isPlain = (domain) => !/[^\x00-\x7f]|(^|\.)xn--/i.test(domain);

module.exports = {
    toASCII: (domain, options) => !options.useSTD3ASCIIRules && isPlain(domain)
        ? domain.toLowerCase() : require('bundle/tr46').toASCII(domain, options),
    toUnicode: (domain, options) => isPlain(domain)
        ? { domain: domain.toLowerCase(), error: false }
        : require('bundle/tr46').toUnicode(domain, options),
};
