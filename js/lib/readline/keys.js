// SPDX-License-Identifier: MIT
// readline/keys -- the keys of a terminal, as 'keypress' events of its stream.
//
// A key is one character, or a sequence that begins with an escape.  The
// characters go one by one into a generator, which is in the middle of a
// sequence between two of them.  A single escape is a key when nothing follows
// it for a while.
'use strict';

const { StringDecoder } = require('bytes/stringdecoder');
const timers = require('timers/timers');

const ESCAPE = '\x1b';
const DELAY_MS = 500;

// What follows the escape: the name of the key, and its modifier.
const names = { __proto__: null };

function add(prefix, ends, keys, more) {
    ends.forEach((end, i) => { names[prefix + end] = { name: keys[i], ...more }; });
}
const letters = ['A', 'B', 'C', 'D', 'E', 'F', 'H'];
const arrows = ['up', 'down', 'right', 'left', 'clear', 'end', 'home'];
const numbers = ['1', '2', '3', '4', '5', '6', '7', '8'];
const places = ['home', 'insert', 'delete', 'end', 'pageup', 'pagedown', 'home', 'end'];
const functionKeys = Array.from({ length: 12 }, (_, i) => `f${i + 1}`);
add('O', ['P', 'Q', 'R', 'S'], functionKeys);
add('[', ['P', 'Q', 'R', 'S'], functionKeys);
add('[', ['11~', '12~', '13~', '14~', '15~', '17~', '18~', '19~', '20~', '21~', '23~', '24~'],
    functionKeys);
add('[[', ['A', 'B', 'C', 'D', 'E'], functionKeys);
add('[', ['200~', '201~'], ['paste-start', 'paste-end']);
add('[', letters, arrows);
add('O', letters, arrows);
add('[', numbers.map((number) => `${number}~`), places);
add('[[', ['5~', '6~'], ['pageup', 'pagedown']);
add('[', ['a', 'b', 'c', 'd', 'e'], arrows, { shift: true });
add('O', ['a', 'b', 'c', 'd', 'e'], arrows, { ctrl: true });
for (const [end, more] of [['$', { shift: true }], ['^', { ctrl: true }]])
    for (const i of [1, 2, 4, 5, 6, 7])
        names[`[${i + 1}${end}`] = { name: places[i], ...more };
names['[Z'] = { name: 'tab', shift: true };

const characters = { __proto__: null, '\r': 'return', '\n': 'enter', '\t': 'tab',
    '\b': 'backspace', '\x7f': 'backspace', [ESCAPE]: 'escape', ' ': 'space' };

const isDigit = (text) => text >= '0' && text <= '9';

// The code of a sequence "[...", and its modifier.
function codeOf(command) {
    const tilde = /^(?:(\d\d?)(?:;(\d))?([~^$])|(\d{3}~))$/.exec(command);
    if (tilde !== null)
        return tilde[4] ? [tilde[4], 0] : [tilde[1] + tilde[3], (tilde[2] || 1) - 1];
    const letter = /^((\d;)?(\d))?([A-Za-z])$/.exec(command);
    return letter !== null ? [letter[4], (letter[3] || 1) - 1] : [command, 0];
}

// Read the rest of a sequence whose beginning was O or [.
function* readSequence(first) {
    let text = '', modifier = 0, prefix = first;
    const read = function* () {
        const next = yield;
        text += next;
        return next;
    };
    let last = yield* read();
    if (first === 'O') {
        if (isDigit(last)) {
            modifier = (last >> 0) - 1;
            last = yield* read();
        }
        return [text, `O${last}`, modifier];
    }
    if (last === '[') {
        prefix += last;
        last = yield* read();
    }
    const start = text.length - 1;
    for (let i = 0; i < 3 && isDigit(last); i++)
        last = yield* read();
    if (last === ';') {
        last = yield* read();
        if (isDigit(last))
            yield* read();
    }
    const [code, bits] = codeOf(text.slice(start));
    return [text, prefix + code, bits];
}

function setByCharacter(key, character, isEscaped) {
    if (character in characters) {
        key.name = characters[character];
        key.meta = isEscaped;
    } else if (!isEscaped && character <= '\x1a') {
        key.name = String.fromCharCode(character.charCodeAt(0) + 'a'.charCodeAt(0) - 1);
        key.ctrl = true;
    } else if (/^[0-9A-Za-z]$/.test(character)) {
        key.name = character.toLowerCase();
        key.shift = /^[A-Z]$/.test(character);
        key.meta = isEscaped;
    } else if (isEscaped) {
        key.name = character.length > 0 ? undefined : 'escape';
        key.meta = true;
    }
}

// Takes one character at a time, or '' after a pause.
function* emitKeys(stream) {
    for (;;) {
        let character = yield, text = character, isEscaped = false;
        const key = { sequence: null, name: undefined, ctrl: false, meta: false,
            shift: false };
        if (character === ESCAPE) {
            isEscaped = true;
            text += character = yield;
            if (character === ESCAPE)
                text += character = yield;
        }
        if (isEscaped && (character === 'O' || character === '[')) {
            const [rest, code, modifier] = yield* readSequence(character);
            text += rest;
            Object.assign(key, { ctrl: Boolean(modifier & 4), meta: Boolean(modifier & 10),
                shift: Boolean(modifier & 1), code, name: 'undefined' }, names[code]);
        } else
            setByCharacter(key, character, isEscaped);
        key.sequence = text;
        if (text.length !== 0 && (key.name !== undefined || isEscaped))
            stream.emit('keypress', isEscaped ? undefined : text, key);
        else if (String.fromCodePoint(text.codePointAt(0) ?? 0).length === text.length)
            stream.emit('keypress', text, key);
    }
}

const streams = new WeakSet(); // that emit keys

function emitKeypressEvents(stream, face = {}) {
    if (streams.has(stream))
        return;
    streams.add(stream);
    const decoder = new StringDecoder('utf8');
    let keys, timer;
    const restart = () => {
        keys = emitKeys(stream);
        keys.next();
    };
    restart();

    function feed(text) {
        timers.clearTimeout(timer);
        let length = 0;
        face.sawKeyPress = String.fromCodePoint(text.codePointAt(0)).length === text.length;
        face.isCompletionEnabled = false;
        for (const character of text) {
            length += character.length;
            const isLast = length === text.length;
            if (isLast)
                face.isCompletionEnabled = true;
            try {
                keys.next(character);
            } catch (error) {
                restart(); // a listener has thrown
                throw error;
            }
            if (isLast && character === ESCAPE)
                timer = timers.setTimeout(() => keys.next(''),
                    face.escapeCodeTimeout ?? DELAY_MS);
        }
    }

    function onData(chunk) {
        if (stream.listenerCount('keypress') > 0) {
            const text = decoder.write(chunk);
            if (text)
                feed(text);
            return;
        }
        stream.removeListener('data', onData); // nobody listens
        stream.on('newListener', onNewListener);
    }

    function onNewListener(event) {
        if (event !== 'keypress')
            return;
        stream.on('data', onData);
        stream.removeListener('newListener', onNewListener);
    }

    if (stream.listenerCount('keypress') > 0)
        stream.on('data', onData);
    else
        stream.on('newListener', onNewListener);
}

module.exports = { emitKeypressEvents };
