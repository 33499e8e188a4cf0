// SPDX-License-Identifier: MIT
// util/dotenv -- the variables in a .env file, by Node 20's rules.
'use strict';

const { invalidArgType } = require('core/errors');

// The value at the beginning of a text, and where the rest begins.  A quote that
// is open at the end of the file has none.
function valueOf(text) {
    const quote = /^["'`]/.exec(text)?.[0];
    const closing = quote === undefined ? -1 : text.indexOf(quote, 1);
    if (closing !== -1) {
        const value = text.slice(1, closing), end = text.indexOf('\n', closing + 1);
        return [quote === '"' ? value.replaceAll('\\n', '\n') : value,
            end === -1 ? text.length : end];
    }
    const end = text.indexOf('\n'), line = end === -1 ? text : text.slice(0, end);
    const comment = line.indexOf('#');
    const value = quote !== undefined ? end === -1 ? undefined : line.trim()
        : (comment === -1 ? line : line.slice(0, comment)).trim();
    return [value, end === -1 ? text.length : end];
}

function parseEnv(content) {
    if (typeof content !== 'string')
        throw invalidArgType('content', 'of type string', content);
    const found = {};
    let rest = content.replace(/\r/g, '').trim();
    while (rest !== '') {
        if (rest[0] === '\n' || rest[0] === '#') {
            const end = rest.indexOf('\n');
            rest = end === -1 ? '' : rest.slice(end + 1);
            continue;
        }
        const equal = rest.indexOf('=');
        const key = equal === -1 ? '' : rest.slice(0, equal).trim();
        if (key === '')
            break;
        rest = rest.slice(equal + 1).replace(/^ +/, '');
        const [value, end] = valueOf(rest);
        if (value !== undefined)
            found[key.replace(/^export /, '')] = value;
        rest = rest.slice(end);
    }
    return found;
}

// process.loadEnvFile: variables that exist stay.
function loadEnvFile(path = undefined) {
    const { env } = require('program/env');
    const where = path === undefined || path === null ? '.env' : path;
    for (const [key, value] of Object.entries(parseEnv(
        require('fs/fs').readFileSync(where, 'utf8'))))
        env[key] ??= value;
}

module.exports = { parseEnv, loadEnvFile };
