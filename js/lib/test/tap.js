// SPDX-License-Identifier: MIT
// tap -- the reporter of the Test Anything Protocol, version 13.
'use strict';

const { details } = require('test/yaml');

const indentOf = (nesting) => '    '.repeat(nesting);

const escapes = { __proto__: null, '\b': '\\b', '\f': '\\f', '\t': '\\t', '\n': '\\n',
    '\r': '\\r', '\v': '\\v' };

function escape(text) {
    return text.replace(/[\b\f\t\n\r\v]/g, (one) => escapes[one])
        .replaceAll('\\', '\\\\').replaceAll('#', '\\#');
}

function result(status, { nesting, testNumber, name, skip, todo }) {
    let line = `${indentOf(nesting)}${status} ${testNumber} - ${escape(`${name}`)}`;
    const [word, reason] = skip !== undefined ? ['SKIP', skip] : ['TODO', todo];
    if (reason !== undefined)
        line += ` # ${word}` + (typeof reason === 'string' && reason.length > 0
            ? ` ${escape(reason)}` : '');
    return `${line}\n`;
}


function output(text) {
    let shown = '';
    for (const line of text.split(/\r?\n/))
        if (line !== '')
            shown += `# ${escape(line)}\n`;
    return shown;
}

function locationOf({ file, line, column }) {
    return file === undefined ? undefined : `${file}:${line}:${column}`;
}

function report({ type, data }) {
    switch (type) {
    case 'test:pass':
    case 'test:fail':
        return result(type === 'test:pass' ? 'ok' : 'not ok', data) +
            details(indentOf(data.nesting), locationOf(data), data.details);
    case 'test:plan':
        return `${indentOf(data.nesting)}1..${data.count}\n`;
    case 'test:start':
        return `${indentOf(data.nesting)}# Subtest: ${escape(`${data.name}`)}\n`;
    case 'test:stdout':
    case 'test:stderr':
        return output(data.message);
    case 'test:diagnostic':
        return `${indentOf(data.nesting)}# ${escape(data.message)}\n`;
    default:
        return '';
    }
}

async function* tapReporter(source) {
    yield 'TAP version 13\n';
    for await (const event of source)
        yield report(event);
}

module.exports = tapReporter;
