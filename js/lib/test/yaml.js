// SPDX-License-Identifier: MIT
// yaml -- the diagnostics of a test in TAP.
'use strict';

const { inspect, isError } = require('util/inspect');
const { ofProgram } = require('test/failure');

const shown = { __proto__: null, colors: false, breakLength: Infinity };

const isAssertion = (error) => error !== null && typeof error === 'object' &&
    'expected' in error && 'actual' in error;

function lineOf(indent, name, value) {
    const prefix = `${indent}${name}:`;
    if (value === null)
        return `${prefix} ~\n`;
    if (typeof value !== 'string' || !value.includes('\n'))
        return `${prefix} ${inspect(value, shown)}\n`;
    return `${prefix} |-\n${value.split('\n').map((line) => `${indent}  ${line}\n`).join('')}`;
}

// What is shown of an error: of the thrown one, if the program has thrown it.
function partsOf(error) {
    const { code, cause, failureType } = error;
    const parts = { message: error.message ?? '<unknown error>', name: error.name,
        stack: error.stack, code };
    let assertion = error;
    if (code === 'ERR_TEST_FAILURE' && ofProgram.has(failureType)) {
        Object.assign(parts, { stack: cause?.stack ?? error.stack,
            code: cause?.code ?? code, name: cause?.name ?? error.name,
            message: cause?.message ?? parts.message });
        assertion = cause;
    }
    if (isAssertion(assertion))
        parts.assertion = assertion;
    return parts;
}

function stackOf(indent, stack) {
    const frames = [];
    for (const line of stack.split('\n')) {
        const match = /^ +at (.+)$/.exec(line);
        if (match !== null)
            frames.push(`${indent}  ${match[1]}\n`);
    }
    return frames.length > 0 ? `${indent}stack: |-\n${frames.join('')}` : '';
}

function ofError(indent, error, seen) {
    const { message, name, stack, code, assertion } = partsOf(error);
    let text = toYaml(indent, 'error', message, seen);
    if (code)
        text += toYaml(indent, 'code', code, seen);
    if (name && name !== 'Error')
        text += toYaml(indent, 'name', name, seen);
    if (assertion !== undefined) {
        text += toYaml(indent, 'expected', assertion.expected, seen);
        text += toYaml(indent, 'actual', assertion.actual, seen);
        if (assertion.operator)
            text += toYaml(indent, 'operator', assertion.operator, seen);
    }
    return typeof stack === 'string' ? text + stackOf(indent, stack) : text;
}

function toYaml(indent, name, value, seen) {
    if (value === undefined)
        return '';
    if (value === null || typeof value !== 'object')
        return lineOf(indent, name, value);
    if (seen.has(value))
        return `${indent}${name}: <Circular>\n`;
    seen.add(value);
    if (require('util/kinds').classOf(value) === 'Date')
        return lineOf(indent, name, value.toISOString());
    const isThrown = isError(value);
    const inner = isThrown ? indent : `${indent}  `;
    let text = isThrown ? '' : `${indent}${name}:\n`;
    for (const [key, item] of Object.entries(value))
        if (!isThrown || (key !== 'cause' && key !== 'code'))
            text += toYaml(inner, key, item, seen);
    return isThrown ? text + ofError(indent, value, seen) : text;
}

// The details of a report: those of {duration_ms, type, error} in YAML.
function details(indent, location, { duration_ms, type, error }) {
    const inner = `${indent}  `, seen = new Set();
    return `${inner}---\n${lineOf(inner, 'duration_ms', duration_ms)}` +
        toYaml(inner, 'type', type, seen) +
        (error != null ? toYaml(inner, 'location', location, seen) : '') +
        (error != null ? toYaml(inner, null, error, seen) : '') + `${inner}...\n`;
}

module.exports = { details };
