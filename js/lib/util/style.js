// SPDX-License-Identifier: MIT
// util/style -- styleText: a text in colours, if the stream shows them.
'use strict';

const { coded, invalidArgType } = require('core/errors');

const code = (number) => `\u001b[${number}m`;

function codesOf(format) {
    const { colors } = require('util/inspect').inspect;
    const found = colors[format];
    if (found !== undefined && found !== null)
        return found;
    const names = Object.keys(colors).map((name) => `'${name}'`).join(', ');
    throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', "The argument 'format' must be one of: " +
        `${names}. Received ${require('util/inspect').inspect(format)}`);
}

const isStream = (value) => value !== null && typeof value === 'object' &&
    (typeof value.getReader === 'function' || typeof value.getWriter === 'function' ||
        (typeof value.on === 'function' &&
            (typeof value.pipe === 'function' || typeof value.write === 'function')));

function showsColors(stream) {
    const { env } = require('program/process');
    if (env.FORCE_COLOR !== undefined)
        return require('program/colordepth').getColorDepth() > 2;
    return Boolean(stream?.isTTY && (typeof stream.getColorDepth === 'function'
        ? stream.getColorDepth() > 2 : true));
}

function styleText(format, text, { validateStream = true,
    stream = require('program/process').stdout } = {}) {
    if (typeof text !== 'string')
        throw invalidArgType('text', 'of type string', text);
    if (typeof validateStream !== 'boolean')
        throw invalidArgType('options.validateStream', 'of type boolean', validateStream);
    if (validateStream && !isStream(stream))
        throw invalidArgType('stream',
            'an instance of ReadableStream, WritableStream, or Stream', stream);
    if (Array.isArray(format)) { // as in Node 20, whatever the stream shows
        const all = format.map(codesOf);
        return all.map(([start]) => code(start)).join('') + text +
            all.reverse().map(([, end]) => code(end)).join('');
    }
    const [start, end] = codesOf(format);
    return validateStream && !showsColors(stream) ? text : code(start) + text + code(end);
}

module.exports = { styleText };
