// SPDX-License-Identifier: MIT
// source -- the source text of a call of assert(), for its message.
'use strict';

const MOST_TRIES = 100;

// The position of the first frame: [file, line, column].
function placeOf(stack) {
    const found = /^ +at (?:.*\()?(\/[^\n]*|file:\/\/[^\n]*):(\d+):(\d+)\)?$/m.exec(stack);
    if (found === null || found.index !== 0)
        return undefined;
    const file = found[1].startsWith('file://')
        ? decodeURIComponent(found[1].slice(7)) : found[1];
    return [file, Number(found[2]), Number(found[3])];
}

// Whether it is a single expression.  It is not run.
function isExpression(text) {
    try {
        return Boolean(Function(`(async function* () { (${text}\n); })`));
    } catch {
        return false;
    }
}

// The call that starts at `start`, up to its closing parenthesis.
function callAt(source, start) {
    let end = start;
    for (let tries = 0; tries < MOST_TRIES; tries++) {
        end = source.indexOf(')', end) + 1;
        if (end === 0)
            return undefined;
        const text = source.slice(start, end);
        if (isExpression(text))
            return text;
    }
    return undefined;
}

const callee = /(?<![\w$.])(?:[\w$]+\s*\.\s*)*(?:assert|ok|strict)(?:\.call|\['ok'\])?\s*\(/g;

// The engine reports a position within the call, not its start.  Find the
// innermost call of that name that contains the position.
function callAround(source, offset) {
    let found;
    for (const { index } of source.matchAll(callee)) {
        if (index > offset)
            break;
        const text = callAt(source, index);
        if (text !== undefined && index + text.length > offset)
            found = { text, index };
    }
    return found;
}

// Move the following lines to the left as far as the first one was indented.
function unindented(text, column) {
    return text.split('\n').map((line, i) => {
        if (i === 0)
            return line;
        let at = 0;
        while (at < column && (line[at] === ' ' || line[at] === '\t'))
            at++;
        return `  ${line.slice(at)}`;
    }).join('\n');
}

// Returns undefined if it cannot be found.
function callOf(stack) {
    const place = placeOf(stack);
    if (place === undefined)
        return undefined;
    const [file, line, column] = place;
    let source;
    try {
        source = native.readFile(file);
    } catch {
        return undefined;
    }
    const lines = source.split('\n');
    const offset = lines.slice(0, line - 1)
        .reduce((sum, one) => sum + one.length + 1, 0) + column - 1;
    const call = callAround(source, offset);
    if (call === undefined)
        return undefined;
    const start = source.lastIndexOf('\n', call.index - 1) + 1;
    return unindented(call.text, call.index - start);
}

module.exports = { callOf };
