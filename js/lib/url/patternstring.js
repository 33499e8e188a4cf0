// SPDX-License-Identifier: MIT
// patternstring -- split a string such as "https://*.example.com/:page?*" into
// the patterns of its components ("Constructor string parsing" in the URL Pattern
// Standard, section 1.6).
'use strict';

const { tokenize } = require('url/patternsyntax');

const ORDER = ['init', 'protocol', 'authority', 'username', 'password', 'hostname', 'port',
    'pathname', 'search', 'hash', 'done'];
const at = (state) => ORDER.indexOf(state);
const isText = ({ type }) => type === 'char' || type === 'escaped-char' ||
    type === 'invalid-char';

class StringParser {
    // isSpecial(pattern) says whether a protocol can match a special scheme.
    constructor(input, isSpecial) {
        this.chars = [...input];
        this.tokens = tokenize(this.chars, true);
        this.isSpecial = isSpecial;
        this.result = { __proto__: null };
        this.start = 0; // of the component, in the tokens
        this.index = 0;
        this.step = 1;
        this.depth = 0; // of braces
        this.brackets = 0; // of an IPv6 address
        this.hasSpecialScheme = false;
        this.state = 'init';
    }

    is(char, index = this.index) {
        const token = this.tokens[Math.min(index, this.tokens.length - 1)];
        return token.value === char && isText(token);
    }

    // A "?" after a group is its modifier.
    isSearch() {
        if (this.is('?'))
            return true;
        if (this.tokens[this.index].value !== '?')
            return false;
        const previous = this.tokens[this.index - 1]?.type;
        return previous !== 'name' && previous !== 'regexp' && previous !== 'close' &&
            previous !== 'asterisk';
    }

    text() {
        const from = this.tokens[Math.min(this.start, this.tokens.length - 1)].index;
        return this.chars.slice(from, this.tokens[this.index].index).join('');
    }

    // A component that is left out before one that is there is empty.
    fillGap(next) {
        const from = at(this.state), to = at(next), { result } = this;
        if (from < at('hostname') && to > at('hostname'))
            result.hostname ??= '';
        if (from < at('pathname') && to > at('pathname'))
            result.pathname ??= this.hasSpecialScheme ? '/' : '';
        if (from < at('search') && to > at('search'))
            result.search ??= '';
    }

    change(next, skip) {
        const { state } = this;
        if (state !== 'init' && state !== 'authority')
            this.result[state] = this.text();
        if (state !== 'init' && next !== 'done')
            this.fillGap(next);
        this.state = next;
        this.index += skip;
        this.start = this.index;
        this.step = 0;
    }

    rewind(state) {
        this.index = this.start;
        this.step = 0;
        this.state = state;
    }

    changeAtSearchOrHash() {
        if (this.isSearch())
            this.change('search', 1);
        else if (this.is('#'))
            this.change('hash', 1);
    }

    readProtocol() {
        if (!this.is(':'))
            return;
        this.hasSpecialScheme = this.isSpecial(this.text());
        if (this.is('/', this.index + 1) && this.is('/', this.index + 2))
            this.change('authority', 3);
        else
            this.change(this.hasSpecialScheme ? 'authority' : 'pathname', 1);
    }

    readHostname() {
        if (this.is('['))
            this.brackets++;
        else if (this.is(']'))
            this.brackets--;
        else if (this.is(':') && this.brackets === 0)
            this.change('port', 1);
        else
            this.readPort();
    }

    readPort() {
        if (this.is('/'))
            this.change('pathname', 0);
        else
            this.changeAtSearchOrHash();
    }

    readToken() {
        switch (this.state) {
        case 'init':
            if (this.is(':'))
                this.rewind('protocol');
            break;
        case 'protocol': this.readProtocol(); break;
        case 'authority':
            if (this.is('@'))
                this.rewind('username');
            else if (this.is('/') || this.isSearch() || this.is('#'))
                this.rewind('hostname');
            break;
        case 'username':
        case 'password':
            if (this.state === 'username' && this.is(':'))
                this.change('password', 1);
            else if (this.is('@'))
                this.change('hostname', 1);
            break;
        case 'hostname': this.readHostname(); break;
        case 'port': this.readPort(); break;
        case 'pathname': this.changeAtSearchOrHash(); break;
        case 'search':
            if (this.is('#'))
                this.change('hash', 1);
            break;
        }
    }

    // Returns whether the string is read.
    readEnd() {
        if (this.state === 'init') { // no ":", so it is relative
            this.rewind('init');
            if (this.is('#'))
                this.change('hash', 1);
            else if (this.isSearch())
                this.change('search', 1);
            else
                this.change('pathname', 0);
        } else if (this.state === 'authority') { // no "@"
            this.rewind('hostname');
        } else {
            this.change('done', 0);
            return true;
        }
        return false;
    }

    parse() {
        for (; this.index < this.tokens.length; this.index += this.step) {
            this.step = 1;
            const { type } = this.tokens[this.index];
            if (type === 'end') {
                if (this.readEnd())
                    break;
            } else if (type === 'open') {
                this.depth++;
            } else if (this.depth === 0 || (type === 'close' && --this.depth >= 0)) {
                this.readToken();
            }
        }
        const { result } = this;
        if (result.hostname !== undefined && result.port === undefined)
            result.port = '';
        return result;
    }
}

module.exports = { parseString: (input, isSpecial) => new StringParser(input, isSpecial).parse() };
