// SPDX-License-Identifier: MIT
// failure -- ERR_TEST_FAILURE: the error of a test, around what was thrown.
'use strict';

const { plainly } = require('core/errors');

const types = {
    __proto__: null,
    aborted: 'testAborted',
    callbackAndPromise: 'callbackAndPromisePresent',
    callbackTwice: 'multipleCallbackInvocations',
    cancelled: 'cancelledByParent',
    hook: 'hookFailed',
    parentFinished: 'parentAlreadyFinished',
    rejection: 'unhandledRejection',
    subtests: 'subtestsFailed',
    code: 'testCodeFailure',
    timeout: 'testTimeoutFailure',
    uncaught: 'uncaughtException',
};

// The failures whose cause was thrown by the program.
const ofProgram = new Set([types.uncaught, types.rejection, types.code, types.hook]);

// The error has no frames: they would be those of the runner.
function failure(cause, type) {
    let message = cause?.message ?? cause;
    if (typeof message !== 'string')
        message = require('util/inspect').inspect(message);
    const error = plainly(Error, 'ERR_TEST_FAILURE', message);
    Object.defineProperty(error, 'stack', { value: `Error [ERR_TEST_FAILURE]: ${message}`,
        writable: true, configurable: true });
    error.failureType = type;
    error.cause = cause;
    return error;
}

// The same, with the frames of the program that has called.
function failureHere(cause, type) {
    const error = failure(cause, type);
    const frames = new Error('').stack.split('\n').slice(1)
        .filter((line) => !/node:|\(native\)/.test(line));
    error.stack = [error.stack, ...frames].join('\n');
    return error;
}

const isFailure = (error) => error?.code === 'ERR_TEST_FAILURE' && 'failureType' in error;

module.exports = { failure, failureHere, isFailure, ofProgram, types };
