// SPDX-License-Identifier: MIT
// consoleclass -- console.Console: consoles on the streams of a program.
'use strict';

const { checkObject, coded, invalidArgValue } = require('core/errors');
const { integer } = require('fs/check');

const MOST_INDENTATION = 1000;

function checkStream(stream, name) {
    if (!stream || typeof stream.write !== 'function')
        throw coded(TypeError, 'ERR_CONSOLE_WRITABLE_STREAM',
            `Console expects a writable stream instance for ${name}`);
}

function read(state, { ignoreErrors = true, colorMode = 'auto', inspectOptions,
    groupIndentation }, hasColorMode) {
    if (!['auto', true, false].includes(colorMode))
        throw invalidArgValue('colorMode', colorMode,
            "must be one of: 'auto', true, false");
    if (groupIndentation !== undefined)
        state.step = ' '.repeat(integer(groupIndentation, 'groupIndentation', 0,
            MOST_INDENTATION));
    if (inspectOptions !== undefined) {
        checkObject(inspectOptions, 'options.inspectOptions');
        if (inspectOptions.colors !== undefined && hasColorMode)
            throw coded(TypeError, 'ERR_INCOMPATIBLE_OPTION_PAIR', 'Option ' +
                '"options.inspectOptions.color" cannot be used in combination with option ' +
                '"colorMode"');
    }
    Object.assign(state, { ignoresErrors: Boolean(ignoreErrors), colorMode, inspectOptions });
}

// The class; the other arguments are program/console's.
module.exports = (main, methods, State, STATE) => {
    function Console(options, ...more) {
        if (new.target === undefined)
            return Reflect.construct(Console, [options, ...more]);
        if (!options || typeof options.write === 'function')
            options = { stdout: options, stderr: more[0], ignoreErrors: more[1] };
        const { stdout, stderr = stdout } = options;
        checkStream(stdout, 'stdout');
        checkStream(stderr, 'stderr');
        const state = new State();
        read(state, options, options.colorMode !== undefined);
        Object.defineProperties(this, { [STATE]: { value: state },
            _stdout: { value: stdout, writable: true, configurable: true },
            _stderr: { value: stderr, writable: true, configurable: true } });
        // A class that extends this one can have methods of its own.
        for (const key of Object.keys(Console.prototype))
            this[key] = Object.defineProperty(this[key].bind(this), 'name', { value: key });
    }
    Object.assign(Console.prototype, methods);
    Object.defineProperty(Console, Symbol.hasInstance,
        { value: (value) => value === main || value?.[STATE] !== undefined });
    return Console;
};
