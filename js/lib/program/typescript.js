// SPDX-License-Identifier: MIT
// typescript -- the JavaScript in a TypeScript file: its types are erased, and what
// remains stays where it is (js/bundle/sucrase.js).
//
// The result is kept in the user's cache, one file for each source file, with the
// source and the text that it became: a program that has not changed loads no
// parser.
'use strict';

const { coded } = require('core/errors');
const { urlOf } = require('program/resolve');

// What the cache has is of this version of the parser and of js/bundle/sucrase.js.
const HEAD = 'weir typescript 2 sucrase 3.35.1';
// After a power failure, a file may be cut short: the end of its text is missing.
const END = '\n// the end';

// ---- the cache ----

// WEIR_CACHE names the directory; if it is empty, there is none.
function findDirectory() {
    const { WEIR_CACHE, XDG_CACHE_HOME, HOME } = require('program/env').env;
    if (WEIR_CACHE !== undefined)
        return WEIR_CACHE.startsWith('/') ? WEIR_CACHE : undefined;
    if (XDG_CACHE_HOME?.startsWith('/'))
        return `${XDG_CACHE_HOME}/weir`;
    return HOME?.startsWith('/') ? `${HOME}/.cache/weir` : undefined;
}

let directory = null; // not known yet

// FNV-1a, with two seeds.  Two files of the same name only replace each other.
function nameOf(file) {
    let low = 0x811c9dc5, high = 0x9747b28c;
    for (let i = 0; i < file.length; i++) {
        const unit = file.charCodeAt(i);
        low = Math.imul(low ^ unit, 0x01000193);
        high = Math.imul(high ^ unit, 0x01000193);
    }
    const hex = (number) => (number >>> 0).toString(16).padStart(8, '0');
    return `${hex(high)}${hex(low)}.ts`;
}

function recall(source, file) {
    const known = native.readCached(directory, nameOf(file));
    const head = `${HEAD} ${source.length}\n`;
    const at = head.length + source.length;
    return known?.startsWith(head) && known.startsWith(source, head.length) &&
        known.length >= at + END.length && known.endsWith(END)
        ? known.slice(at, -END.length) : undefined;
}

// ---- errors ----

function parser() {
    try {
        return require('bundle/sucrase');
    } catch {
        throw coded(Error, 'ERR_NO_TYPESCRIPT', 'weir was built without TypeScript: ' +
            'tools/setup installs its parser');
    }
}

// The place in the source, as the engine shows it for JavaScript.
function syntaxError(error, source, file) {
    const before = source.slice(0, error.pos), line = before.split('\n').length;
    const column = error.pos - before.lastIndexOf('\n');
    const text = error.message.replace(/ \(\d+:\d+\)$/, '');
    const code = error.isUnsupported ? 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX'
        : 'ERR_INVALID_TYPESCRIPT_SYNTAX';
    const found = coded(SyntaxError, code, `${text} (${file}:${line}:${column})`);
    Object.defineProperty(found, 'stack', { writable: true, configurable: true,
        value: `${file}:${line}\n${source.split('\n')[line - 1]}\n` +
            `${' '.repeat(column - 1)}^\n\nSyntaxError [${code}]: ${text}\n` +
            `    at ${file}:${line}:${column}` });
    return found;
}

// ---- all of it ----

function erase(source, file) {
    const { erase: run } = parser();
    try {
        return run(source);
    } catch (error) {
        if (!(error instanceof SyntaxError) || typeof error.pos !== 'number')
            throw error;
        throw syntaxError(error, source, file);
    }
}

// The JavaScript of a file.  As in Node, packages must be published as JavaScript.
function read(source, file) {
    if (file.includes('/node_modules/'))
        throw coded(Error, 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING', 'Stripping types ' +
            `is currently unsupported for files under node_modules, for "${urlOf(file)}"`);
    directory ??= findDirectory();
    if (directory === undefined)
        return erase(source, file);
    const known = recall(source, file);
    if (known !== undefined)
        return known;
    const code = erase(source, file);
    native.writeCached(directory, nameOf(file), `${HEAD} ${source.length}\n${source}${code}${END}`);
    return code;
}

module.exports = { read };
