// SPDX-License-Identifier: MIT
// lines -- what the reporters for people show of one test.
'use strict';

const symbols = { __proto__: null, pass: '\u2714 ', fail: '\u2716 ', parent: '\u25B6 ',
    skip: '\uFE63 ', info: '\u2139 ' };

const indentOf = (nesting) => '  '.repeat(nesting);

// The sequences of colours, which are empty unless stdout shows them.
function colorsOf() {
    const { stdout, env } = require('program/process');
    const isColored = env.FORCE_COLOR !== undefined
        ? env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false'
        : stdout.isTTY === true && env.NO_COLOR === undefined && env.TERM !== 'dumb';
    const code = (number) => isColored ? `\x1b[${number}m` : '';
    return { isColored, blue: code(34), green: code(32), white: code(39), red: code(31),
        gray: code(90), clear: isColored ? '\x1bc' : '' };
}

function formatError(error, colors, indent) {
    if (!error)
        return '';
    const shown = error.code === 'ERR_TEST_FAILURE' ? error.cause : error;
    const text = require('util/inspect').inspect(shown,
        { __proto__: null, colors: colors.isColored, breakLength: Infinity });
    return `${indent}  ${text.split(/\r?\n/).join(`\n${indent}  `)}\n`;
}

// One line, and the error.  `isSummary`: at the end, where all errors are shown.
function formatResult(type, data, colors, indent, hasChildren, isSummary) {
    const { details, skip, todo } = data;
    const color = type === 'test:fail' ? colors.red : colors.green;
    const symbol = skip !== undefined ? symbols.skip
        : type === 'test:fail' ? symbols.fail : symbols.pass;
    const duration = details?.duration_ms
        ? ` ${colors.gray}(${details.duration_ms}ms)${colors.white}` : '';
    let line = `${indent}${skip !== undefined ? colors.gray : color}${symbol}${colors.white}` +
        `${data.name}${duration}`;
    if (skip !== undefined)
        line += ` # ${typeof skip === 'string' && skip.length > 0 ? skip : 'SKIP'}`;
    else if (todo !== undefined)
        line += ` # ${typeof todo === 'string' && todo.length > 0 ? todo : 'TODO'}`;
    const { error } = details ?? {};
    if (!error || (!isSummary && error.failureType === 'subtestsFailed'))
        return line;
    return `${line}\n${hasChildren ? '\n' : ''}${formatError(error, colors, indent)}`;
}

module.exports = { symbols, indentOf, colorsOf, formatError, formatResult };
