// SPDX-License-Identifier: MIT
// rejections -- --unhandled-rejections: what becomes of a rejection that nobody
// handles.
'use strict';

const { shortly } = require('core/errors');

const OPTION = '--unhandled-rejections';

// What the options of a program say last; undefined: nothing.
function modeOf(options) {
    let mode;
    options.forEach((option, at) => {
        if (option === OPTION)
            mode = options[at + 1];
        else if (option.startsWith(`${OPTION}=`))
            mode = option.slice(OPTION.length + 1);
    });
    return mode === 'throw' ? undefined : mode;
}

function textOf(reason) {
    const isError = typeof reason === 'object' && reason !== null && Object.hasOwn(reason, 'stack');
    return isError ? reason.stack : shortly(reason);
}

function warn(process, reason, number) {
    const name = 'UnhandledPromiseRejectionWarning';
    const warning = new Error('Unhandled promise rejection. This error originated either by ' +
        'throwing inside of an async function without a catch block, or by rejecting a ' +
        'promise which was not handled with .catch(). To terminate the node process on ' +
        `unhandled promise rejection, use the CLI flag \`${OPTION}=strict\` (see ` +
        'https://nodejs.org/api/cli.html#cli_unhandled_rejections_mode). ' +
        `(rejection id: ${number})`);
    warning.name = name;
    try {
        process.emitWarning(textOf(reason), name);
    } catch {} // a getter of the reason
    process.emitWarning(warning);
}

// Returns true if the program goes on.  throwIt() returns whether a listener for
// uncaught errors has handled it.
function tell(mode, process, promise, reason, number, throwIt) {
    if (mode === 'strict' && !throwIt())
        return false;
    const isHandled = process.emit('unhandledRejection', reason, promise);
    if (mode === 'warn' || (!isHandled && mode !== 'none'))
        warn(process, reason, number);
    if (!isHandled && mode === 'warn-with-error-code')
        process.exitCode = 1;
    return true;
}

module.exports = { modeOf, tell };
