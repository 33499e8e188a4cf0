// SPDX-License-Identifier: MIT
// parseargs -- util.parseArgs.
'use strict';

const { coded, invalidArgType, invalidArgValue } = require('core/errors');

// ---- the configuration ----

function checkType(value, name, type) {
    const isRight = type === 'Array' ? Array.isArray(value)
        : type === 'object' ? typeof value === 'object' && value !== null &&
            !Array.isArray(value)
            : typeof value === type;
    if (!isRight)
        throw invalidArgType(name, type === 'Array' ? 'an instance of Array'
            : `of type ${type}`, value);
}

function checkOption(name, option) {
    const at = `options.${name}`;
    checkType(option, at, 'object');
    const { type, short, multiple } = option;
    if (type !== 'string' && type !== 'boolean')
        throw invalidArgType(`${at}.type`, "('string|boolean')", type);
    if (Object.hasOwn(option, 'short')) {
        checkType(short, `${at}.short`, 'string');
        if (short.length !== 1)
            throw invalidArgValue(`${at}.short`, short, 'must be a single character');
    }
    if (Object.hasOwn(option, 'multiple'))
        checkType(multiple, `${at}.multiple`, 'boolean');
    if (option.default === undefined)
        return;
    if (!multiple) {
        checkType(option.default, `${at}.default`, type);
        return;
    }
    checkType(option.default, `${at}.default`, 'Array');
    option.default.forEach((one, i) => checkType(one, `${at}.default[${i}]`, type));
}

function settingsOf(config) {
    if (config === null)
        throw new TypeError('Cannot convert undefined or null to object');
    const own = (key, otherwise) => config !== undefined &&
        Object.hasOwn(config, key) ? config[key] ?? otherwise : otherwise;
    const { argv, execArgv } = require('program/process');
    const isEval = execArgv?.some((one) => /^(-e|--eval|-p|--print)$/.test(one));
    const settings = { args: own('args', argv.slice(isEval ? 1 : 2)),
        strict: own('strict', true), tokens: own('tokens', false),
        options: own('options', {}), allowNegative: own('allowNegative', false) };
    settings.allowPositionals = own('allowPositionals', !settings.strict);
    checkType(settings.args, 'args', 'Array');
    for (const name of ['strict', 'allowPositionals', 'tokens', 'allowNegative'])
        checkType(settings[name], name, 'boolean');
    checkType(settings.options, 'options', 'object');
    for (const [name, option] of Object.entries(settings.options))
        checkOption(name, option);
    return settings;
}

// ---- the arguments ----

// A value that is not a string is positional.
function asText(value) {
    if (value === null || value === undefined)
        throw new TypeError(`Cannot read properties of ${value} (reading 'length')`);
    if (typeof value === 'symbol')
        throw new TypeError('Cannot convert a Symbol value to a string');
    return typeof value === 'string' ? value : '';
}

const isDashed = (text) => text !== undefined && text.length > 1 && text[0] === '-';

// "-abc", "--name", "--name=value": one token for each option.  A string option
// takes the next argument, if that can be a value.
function tokensOf({ args, options }) {
    const typeOf = (name) => Object.hasOwn(options, name) ? options[name].type
        : undefined;
    const longOf = (short) => Object.keys(options).find((name) =>
        options[name].short === short) ?? short;
    const tokens = [];
    let index = -1;
    const option = (name, rawName, value, inlineValue) => {
        if (value === undefined && typeOf(name) === 'string' &&
            args[index + 1] !== undefined) {
            tokens.push({ kind: 'option', name, rawName, index,
                value: args[index + 1], inlineValue: false });
            index++;
        } else {
            tokens.push({ kind: 'option', name, rawName, index, value, inlineValue });
        }
    };
    while (++index < args.length) {
        const text = asText(args[index]);
        if (text === '--') {
            tokens.push({ kind: 'option-terminator', index });
            while (++index < args.length)
                tokens.push({ kind: 'positional', index, value: args[index] });
        } else if (text.startsWith('--')) {
            const at = text.indexOf('=', 3);
            if (at > 0)
                option(text.slice(2, at), text.slice(0, at), text.slice(at + 1), true);
            else
                option(text.slice(2), text);
        } else if (isDashed(text)) {
            shorts(text, option, longOf, typeOf);
        } else {
            tokens.push({ kind: 'positional', index, value: args[index] });
        }
    }
    return tokens;
}

// A group ends at the first option that takes a value, which is the rest.
function shorts(text, option, longOf, typeOf) {
    for (let at = 1; at < text.length; at++) {
        const name = longOf(text[at]), isLast = at === text.length - 1;
        if (typeOf(name) === 'string' && !isLast) {
            option(name, `-${text[at]}`, text.slice(at + 1), true);
            return;
        }
        option(name, `-${text[at]}`);
    }
}

// ---- checks ----

function badValue(text) {
    return coded(TypeError, 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE', text);
}

function checkAmbiguous(token) {
    if (token.inlineValue || !isDashed(token.value))
        return;
    const { rawName } = token;
    const example = rawName.startsWith('--') ? `'${rawName}=-XYZ'`
        : `'--${token.name}=-XYZ' or '${rawName}-XYZ'`;
    throw badValue(`Option '${rawName}' argument is ambiguous.\n` +
        `Did you forget to specify the option argument for '${rawName}'?\n` +
        `To specify an option argument starting with a dash use ${example}.`);
}

// The option that is meant; undefined if there is none.
function knownName({ name }, { options, allowNegative }) {
    if (Object.hasOwn(options, name))
        return name;
    const positive = name.slice(3);
    return allowNegative && name.startsWith('no-') && Object.hasOwn(options, positive) &&
        options[positive].type === 'boolean' ? positive : undefined;
}

function checkToken(token, settings) {
    const { options, allowPositionals } = settings;
    const name = knownName(token, settings);
    if (name === undefined)
        throw coded(TypeError, 'ERR_PARSE_ARGS_UNKNOWN_OPTION',
            `Unknown option '${token.rawName}'${allowPositionals ? '. To specify a ' +
                "positional argument starting with a '-', place it at the end of " +
                `the command after '--', as in '-- "${token.rawName}"` : ''}`);
    const { short, type } = options[name];
    const shown = `${short ? `-${short}, ` : ''}--${name}`;
    if (type === 'string' && typeof token.value !== 'string')
        throw badValue(`Option '${shown} <value>' argument missing`);
    if (type === 'boolean' && token.value != null)
        throw badValue(`Option '${shown}' does not take an argument`);
    checkAmbiguous(token);
}

function store(values, token, settings) {
    if (token.name === '__proto__')
        return;
    const isNegated = settings.allowNegative && token.name.startsWith('no-') &&
        token.value === undefined;
    if (isNegated)
        token.name = token.name.slice(3);
    const { name } = token, value = token.value ?? !isNegated;
    if (Object.hasOwn(settings.options, name) && settings.options[name].multiple)
        (values[name] ??= []).push(value);
    else
        values[name] = value;
}

function parseArgs(config = undefined) {
    const settings = settingsOf(config), { options } = settings;
    const tokens = tokensOf(settings);
    const result = { values: { __proto__: null }, positionals: [] };
    if (settings.tokens)
        result.tokens = tokens;
    for (const token of tokens) {
        if (token.kind === 'option') {
            if (settings.strict)
                checkToken(token, settings);
            store(result.values, token, settings);
        } else if (token.kind === 'positional') {
            if (!settings.allowPositionals)
                throw coded(TypeError, 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL',
                    `Unexpected argument '${token.value}'. This command does not ` +
                    'take positional arguments');
            result.positionals.push(token.value);
        }
    }
    for (const [name, option] of Object.entries(options))
        if (option.default !== undefined && !Object.hasOwn(result.values, name) &&
            name !== '__proto__')
            result.values[name] = option.default;
    return result;
}

module.exports = { parseArgs };
