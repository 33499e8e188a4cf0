// SPDX-License-Identifier: MIT
// idna -- domain names for the parser of URLs, which takes this for tr46.
//
// The tables of Unicode are large.  For ASCII without "xn--" the URL Standard
// says that all of it is the same as lower case, so most programs never load
// them.
'use strict';

const isPlain = (domain) => !/[^\x00-\x7f]|(^|\.)xn--/i.test(domain);

module.exports = {
    toASCII: (domain, options) => !options.useSTD3ASCIIRules && isPlain(domain)
        ? domain.toLowerCase() : require('tr46').toASCII(domain, options),
    toUnicode: (domain, options) => isPlain(domain)
        ? { domain: domain.toLowerCase(), error: false }
        : require('tr46').toUnicode(domain, options),
};
