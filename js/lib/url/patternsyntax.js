// SPDX-License-Identifier: MIT
// patternsyntax -- the pattern strings of the URL Pattern Standard, sections 2.1
// to 2.3: read them as tokens and parts, and write parts as a regular expression
// or as a pattern string again.
'use strict';

const START = /^[$_\p{ID_Start}]$/u, PART = /^[$_\u200c\u200d\p{ID_Continue}]$/u;
const ASCII = /^[\0-\x7f]$/;

const isNameStart = (char) => START.test(char);
const isNamePart = (char) => PART.test(char);
const malformed = (text) => new TypeError(`Invalid URL pattern: ${text}`);

// ---- tokens ----

// Returns an array of { type, index, value }.  The characters are code points.  A
// lenient reader makes invalid-char of what a strict one refuses.
class Tokenizer {
    constructor(chars, isLenient) {
        this.chars = chars;
        this.isLenient = isLenient;
        this.index = 0;
        this.tokens = [];
    }

    // The value is chars[from] to chars[to - 1], and reading continues at `next`.
    add(type, next, from, to) {
        this.tokens.push({ type, index: this.index, value: this.chars.slice(from, to).join('') });
        this.index = next;
    }

    fail(text, next, from) {
        if (!this.isLenient)
            throw malformed(text);
        this.add('invalid-char', next, from, next);
    }

    readName() {
        const { chars } = this, start = this.index + 1;
        let end = start;
        while (end < chars.length && (end === start ? isNameStart : isNamePart)(chars[end]))
            end++;
        if (end === start)
            this.fail('a name must follow ":"', start, this.index);
        else
            this.add('name', end, start, end);
    }

    // The position after the ")", or a text that says what is wrong.
    endOfRegExp(start) {
        const { chars } = this;
        let depth = 1;
        for (let i = start; i < chars.length; i++) {
            const char = chars[i];
            if (!ASCII.test(char))
                return 'a regular expression must be ASCII';
            if (char === '?' && i === start)
                return 'a regular expression may not begin with "?"';
            if (char === '\\') {
                if (++i === chars.length || !ASCII.test(chars[i]))
                    return 'an invalid escape in a regular expression';
            } else if (char === ')') {
                if (--depth === 0)
                    return i + 1;
            } else if (char === '(') {
                depth++;
                if (chars[i + 1] !== '?')
                    return 'a capturing group in a regular expression';
            }
        }
        return 'a regular expression without ")"';
    }

    readRegExp() {
        const start = this.index + 1, end = this.endOfRegExp(start);
        if (typeof end === 'string')
            this.fail(end, start, this.index);
        else if (end === start + 1)
            this.fail('an empty regular expression', start, this.index);
        else
            this.add('regexp', end, start, end - 1);
    }

    read() {
        const { chars } = this;
        while (this.index < chars.length) {
            const { index } = this, char = chars[index], type = SINGLE[char];
            if (type !== undefined)
                this.add(type, index + 1, index, index + 1);
            else if (char === ':')
                this.readName();
            else if (char === '(')
                this.readRegExp();
            else if (char !== '\\')
                this.add('char', index + 1, index, index + 1);
            else if (index === chars.length - 1)
                this.fail('a "\\" at the end', index + 1, index);
            else
                this.add('escaped-char', index + 2, index + 1, index + 2);
        }
        this.add('end', this.index, this.index, this.index);
        return this.tokens;
    }
}
const SINGLE = { __proto__: null, '*': 'asterisk', '+': 'other-modifier',
    '?': 'other-modifier', '{': 'open', '}': 'close' };

const tokenize = (chars, isLenient) => new Tokenizer(chars, isLenient).read();

// ---- parts ----

const escapeRegExp = (text) => text.replace(/[.+*?^${}()[\]|/\\]/g, '\\$&');
const escapePattern = (text) => text.replace(/[+*?:{}()\\]/g, '\\$&');
const ANY = '.*';
const segmentOf = ({ delimiter }) => `[^${escapeRegExp(delimiter)}]+?`;

// A part is { type, value, modifier, name, prefix, suffix }, with the type "text",
// "regexp", "segment" or "any", and the modifier "", "?", "*" or "+".
class PatternParser {
    constructor(input, options, encode) {
        this.tokens = tokenize([...input], false);
        this.options = options;
        this.encode = encode;
        this.segment = segmentOf(options);
        this.parts = [];
        this.names = new Set();
        this.pending = '';
        this.index = 0;
        this.number = 0; // of the next group without a name
    }

    take(type) {
        const token = this.tokens[this.index];
        if (token.type !== type)
            return null;
        this.index++;
        return token;
    }

    need(type) {
        if (this.take(type) === null)
            throw malformed(`unexpected "${this.tokens[this.index].value}"`);
    }

    takeGroup(name) {
        return this.take('regexp') ?? (name === null ? this.take('asterisk') : null);
    }

    takeModifier() {
        return (this.take('other-modifier') ?? this.take('asterisk'))?.value ?? '';
    }

    takeText() {
        let text = '';
        for (;;) {
            const token = this.take('char') ?? this.take('escaped-char');
            if (token === null)
                return text;
            text += token.value;
        }
    }

    addPending() {
        if (this.pending === '')
            return;
        const value = this.encode(this.pending);
        this.pending = '';
        this.parts.push({ type: 'text', value, modifier: '', name: '', prefix: '', suffix: '' });
    }

    add(prefix, name, group, suffix, modifier) {
        if (name === null && group === null) {
            if (modifier === '') { // "{text}" is as good as "text"
                this.pending += prefix;
                return;
            }
            this.addPending();
            if (prefix !== '')
                this.parts.push({ type: 'text', value: this.encode(prefix), modifier,
                    name: '', prefix: '', suffix: '' });
            return;
        }
        this.addPending();
        let type = 'regexp', value = group === null ? this.segment
            : group.type === 'asterisk' ? ANY : group.value;
        if (value === this.segment || value === ANY) {
            type = value === ANY ? 'any' : 'segment';
            value = '';
        }
        const key = name === null ? `${this.number++}` : name.value;
        if (this.names.has(key))
            throw malformed(`two groups have the name "${key}"`);
        this.names.add(key);
        this.parts.push({ type, value, modifier, name: key, prefix: this.encode(prefix),
            suffix: this.encode(suffix) });
    }

    // One round of "parse a pattern string".
    readPart() {
        const char = this.take('char');
        const name = this.take('name'), group = this.takeGroup(name);
        if (name !== null || group !== null) {
            let prefix = char === null ? '' : char.value;
            if (prefix !== this.options.prefix) {
                this.pending += prefix;
                prefix = '';
            }
            this.addPending();
            this.add(prefix, name, group, '', this.takeModifier());
            return;
        }
        const text = char ?? this.take('escaped-char');
        if (text !== null) {
            this.pending += text.value;
        } else if (this.take('open') !== null) {
            const prefix = this.takeText();
            const inner = this.take('name'), expression = this.takeGroup(inner);
            const suffix = this.takeText();
            this.need('close');
            this.add(prefix, inner, expression, suffix, this.takeModifier());
        } else {
            this.addPending();
            this.need('end');
        }
    }

    parse() {
        while (this.index < this.tokens.length)
            this.readPart();
        return this.parts;
    }
}

// `options` has the delimiter and the prefix of a component; encode(text) returns
// fixed text as the component of a URL has it, or throws.
const parseParts = (input, options, encode) => new PatternParser(input, options, encode).parse();

// ---- a regular expression ----

function expressionOf(part, options) {
    const { type, modifier } = part;
    if (type === 'text')
        return modifier === '' ? escapeRegExp(part.value)
            : `(?:${escapeRegExp(part.value)})${modifier}`;
    const value = type === 'segment' ? segmentOf(options) : type === 'any' ? ANY : part.value;
    const repeats = modifier === '*' || modifier === '+';
    const prefix = escapeRegExp(part.prefix), suffix = escapeRegExp(part.suffix);
    if (prefix === '' && suffix === '')
        return repeats ? `((?:${value})${modifier})` : `(${value})${modifier}`;
    if (!repeats)
        return `(?:${prefix}(${value})${suffix})${modifier}`;
    // Between two repetitions, a suffix and a prefix belong to the match.
    return `(?:${prefix}((?:${value})(?:${suffix}${prefix}(?:${value}))*)${suffix})` +
        (modifier === '*' ? '?' : '');
}

const sourceOf = (parts, options) =>
    `^${parts.map((part) => expressionOf(part, options)).join('')}$`;

// ---- a pattern string ----

const isNumbered = (part) => /^[0-9]/.test(part.name);
const firstOf = (text) => text === '' ? '' : String.fromCodePoint(text.codePointAt(0));

// Whether the part must be in braces, so that its neighbours do not change it.
function needsBraces(part, previous, next, options) {
    if (part.suffix !== '' || (part.prefix !== '' && part.prefix !== options.prefix))
        return true;
    if (!isNumbered(part) && part.type === 'segment' && part.modifier === '' &&
        next !== undefined && next.prefix === '' && next.suffix === '' &&
        (next.type === 'text' ? isNamePart(firstOf(next.value)) : isNumbered(next)))
        return true;
    return part.prefix === '' && previous?.type === 'text' && options.prefix !== '' &&
        previous.value.endsWith(options.prefix);
}

function groupOf(part, previous, inBraces, options) {
    if (part.type === 'regexp')
        return `(${part.value})`;
    if (part.type === 'segment')
        return isNumbered(part) ? `(${segmentOf(options)})` : '';
    return isNumbered(part) && (previous === undefined || previous.type === 'text' ||
        previous.modifier !== '' || inBraces || part.prefix !== '') ? '*' : `(${ANY})`;
}

function patternOf(part, previous, next, options) {
    const { type, modifier } = part;
    if (type === 'text')
        return modifier === '' ? escapePattern(part.value)
            : `{${escapePattern(part.value)}}${modifier}`;
    const inBraces = needsBraces(part, previous, next, options);
    const named = !isNumbered(part);
    const text = escapePattern(part.prefix) + (named ? `:${part.name}` : '') +
        groupOf(part, previous, inBraces, options) +
        (type === 'segment' && named && isNamePart(firstOf(part.suffix)) ? '\\' : '') +
        escapePattern(part.suffix);
    return (inBraces ? `{${text}}` : text) + modifier;
}

const stringOf = (parts, options) => parts.map((part, i) =>
    patternOf(part, parts[i - 1], parts[i + 1], options)).join('');

module.exports = { escapePattern, malformed, parseParts, sourceOf, stringOf, tokenize };
