// SPDX-License-Identifier: MIT
// dot -- the reporter that prints a character for each test.
'use strict';

const COLUMNS = 20;

module.exports = async function* dot(source) {
    const { colorsOf, formatResult } = require('test/lines');
    const colors = colorsOf(), failed = [];
    const width = () => Math.max(require('program/process').stdout.columns ?? COLUMNS, COLUMNS);
    let count = 0, columns = width();
    for await (const { type, data } of source) {
        if (type !== 'test:pass' && type !== 'test:fail')
            continue;
        yield type === 'test:pass' ? `${colors.green}.${colors.white}`
            : `${colors.red}X${colors.white}`;
        if (type === 'test:fail')
            failed.push(data);
        if (++count === columns) {
            yield '\n';
            columns = width(); // of a terminal whose size may have changed
            count = 0;
        }
    }
    yield '\n';
    if (failed.length > 0) {
        yield `\n${colors.red}Failed tests:${colors.white}\n\n`;
        for (const data of failed)
            yield `${formatResult('test:fail', data, colors, '', false, true)}`;
    }
};
