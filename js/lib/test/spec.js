// SPDX-License-Identifier: MIT
// spec -- the reporter for people: a tree of names, and the failures at the end.
'use strict';

const { Transform } = require('stream/stream');
const { symbols, formatResult, indentOf, colorsOf } = require('test/lines');

class SpecReporter extends Transform {
    #started = []; // tests, the last one first
    #parents = []; // whose name was printed
    #failed = [];
    #colors = colorsOf();

    constructor() {
        super({ __proto__: null, writableObjectMode: true });
    }

    // A name before the tests in it.
    #heading() {
        let text = '';
        while (this.#started.length > 0) {
            const { data } = this.#started.pop();
            this.#parents.unshift(data);
            text += `${indentOf(data.nesting)}${symbols.parent}${data.name}\n`;
        }
        return text;
    }

    #result(type, data) {
        this.#started.shift(); // its own start
        if (type === 'test:fail' &&
            data.details?.error?.failureType !== 'subtestsFailed')
            this.#failed.push(data);
        const heading = this.#heading();
        const [last] = this.#parents;
        const hasChildren = last !== undefined && last.nesting === data.nesting &&
            last.name === data.name;
        if (hasChildren)
            this.#parents.shift();
        return heading + formatResult(type, data, this.#colors,
            indentOf(data.nesting), hasChildren, false) + '\n';
    }

    #event({ type, data }) {
        switch (type) {
        case 'test:fail':
        case 'test:pass':
            return this.#result(type, data);
        case 'test:start':
            this.#started.unshift({ type, data });
            return '';
        case 'test:stdout':
        case 'test:stderr':
            return data.message;
        case 'test:diagnostic':
            return `${this.#colors.blue}${indentOf(data.nesting)}${symbols.info}` +
                `${data.message}${this.#colors.white}\n`;
        default:
            return '';
        }
    }

    _transform(event, encoding, callback) {
        callback(null, this.#event(event));
    }

    _flush(callback) {
        if (this.#failed.length === 0) {
            callback(null, '');
            return;
        }
        const { red, white } = this.#colors, path = require('fs/path');
        const cwd = require('program/process').cwd();
        let text = `\n${red}${symbols.fail}failing tests:${white}\n`;
        for (const data of this.#failed) {
            const where = data.file === undefined ? ''
                : `test at ${path.relative(cwd, data.file)}:${data.line}:${data.column}\n`;
            text += `\n${where}${formatResult('test:fail', data, this.#colors, '', false, true)}`;
        }
        this.#failed = [];
        callback(null, text);
    }
}

module.exports = SpecReporter;
