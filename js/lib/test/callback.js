// SPDX-License-Identifier: MIT
// callback -- what a test gets that takes a callback.
'use strict';

const { failureHere, types } = require('test/failure');

module.exports = function makeCallback() {
    let resolve, reject, count = 0;
    const promise = new Promise((yes, no) => {
        resolve = yes;
        reject = no;
    });
    promise.catch(() => {}); // the test may have ended before
    return {
        promise,
        callback(error) {
            count++;
            if (count === 2)
                throw failureHere('callback invoked multiple times', types.callbackTwice);
            if (count > 2)
                return;
            if (error)
                reject(error);
            else
                resolve();
        },
    };
};
