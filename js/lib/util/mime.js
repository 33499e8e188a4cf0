// SPDX-License-Identifier: MIT
// util/mime -- MIMEType and MIMEParams, by the MIME Sniffing Standard.
'use strict';

const { coded } = require('core/errors');

const NOT_TOKEN = /[^!#$%&'*+\-.^_`|~A-Za-z0-9]/;
const NOT_VALUE = /[^\t\u0020-~\u0080-\u00ff]/;
const SPACE = '[\\r\\n\\t ]';
const trimmed = (text) => text.replace(new RegExp(`^${SPACE}+|${SPACE}+$`, 'g'), '');
const trimmedEnd = (text) => text.replace(new RegExp(`${SPACE}+$`), '');

function invalid(what, text, at) {
    return coded(TypeError, 'ERR_INVALID_MIME_SYNTAX', `The MIME syntax for a ${what} in ` +
        `${JSON.stringify(text)} is invalid${at === -1 ? '' : ` at ${at}`}`);
}

// ASCII only: other letters keep their case.
const lower = (text) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

// The part of a type, in lower case.  `whole` is shown in the error.
function part(text, what, whole = text) {
    const at = text.search(NOT_TOKEN);
    if (text === '' || at !== -1)
        throw invalid(what, whole, at);
    return lower(text);
}

const encode = (value) => value.length === 0 ? '""' : NOT_TOKEN.test(value)
    ? `"${value.replace(/["\\]/g, '\\$&')}"` : value;

// A quoted value at the beginning of a text: [value, the rest].
function unquote(text) {
    const quoted = /^"((?:[^"\\]|\\[\s\S]|\\$)*)"?/.exec(text);
    return [quoted[1].replace(/\\([\s\S])/g, '$1'), text.slice(quoted[0].length)];
}

let parse; // into a MIMEParams

class MIMEParams {
    #all = new Map();

    delete(name) { this.#all.delete(name); }
    get(name) { return this.#all.has(name) ? this.#all.get(name) : null; }
    has(name) { return this.#all.has(name); }

    set(name, value) {
        name = `${name}`;
        value = `${value}`;
        let at = name.search(NOT_TOKEN);
        if (name === '' || at !== -1)
            throw invalid('parameter name', name, at);
        at = value.search(NOT_VALUE);
        if (at !== -1)
            throw invalid('parameter value', value, at);
        this.#all.set(name, value);
    }

    * entries() { yield* this.#all.entries(); }
    * keys() { yield* this.#all.keys(); }
    * values() { yield* this.#all.values(); }

    toString() {
        return [...this.#all].map(([name, value]) => `${name}=${encode(value)}`).join(';');
    }

    // What is not valid is left out.
    #parse(text) {
        let rest = text;
        while (rest !== '') {
            rest = rest.replace(new RegExp(`^${SPACE}+`), '');
            const end = /^[^;=]*/.exec(rest)[0].length, name = lower(rest.slice(0, end));
            rest = rest.slice(end);
            let value;
            if (rest[0] === '=') {
                rest = rest.slice(1);
                if (rest[0] === '"') {
                    [value, rest] = unquote(rest);
                } else {
                    value = trimmedEnd(/^[^;]*/.exec(rest)[0]);
                    if (value === '')
                        value = undefined;
                }
                rest = rest.slice(/^[^;]*/.exec(rest)[0].length);
            }
            rest = rest.slice(1); // the ";"
            if (value !== undefined && name !== '' && !NOT_TOKEN.test(name) &&
                !NOT_VALUE.test(value) && !this.#all.has(name))
                this.#all.set(name, value);
        }
    }

    static { parse = (params, text) => params.#parse(text); }
}
Object.defineProperties(MIMEParams.prototype, {
    [Symbol.iterator]: { value: MIMEParams.prototype.entries, writable: true,
        configurable: true },
    toJSON: { value: MIMEParams.prototype.toString, writable: true, configurable: true },
});

class MIMEType {
    #type;
    #subtype;
    #params = new MIMEParams();

    constructor(input) {
        const text = `${input}`, whole = trimmed(text);
        const slash = whole.indexOf('/');
        if (slash === -1)
            throw invalid('type', text, whole.search(NOT_TOKEN));
        this.#type = part(whole.slice(0, slash), 'type', text);
        const rest = whole.slice(slash + 1), semicolon = rest.indexOf(';');
        this.#subtype = part(trimmedEnd(semicolon === -1 ? rest : rest.slice(0, semicolon)),
            'subtype', text);
        if (semicolon !== -1)
            parse(this.#params, rest.slice(semicolon + 1));
    }

    get type() { return this.#type; }
    set type(value) { this.#type = part(`${value}`, 'type'); }
    get subtype() { return this.#subtype; }
    set subtype(value) { this.#subtype = part(`${value}`, 'subtype'); }
    get essence() { return `${this.#type}/${this.#subtype}`; }
    get params() { return this.#params; }

    toString() {
        const params = `${this.#params}`;
        return params === '' ? this.essence : `${this.essence};${params}`;
    }
}
Object.defineProperty(MIMEType.prototype, 'toJSON',
    { value: MIMEType.prototype.toString, writable: true, configurable: true });

module.exports = { MIMEType, MIMEParams };
