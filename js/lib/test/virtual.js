// SPDX-License-Identifier: MIT
// virtual -- t.virtualTime(): time that moves when every thread is asleep.
//
// It belongs to the process.  If several tests use it at once, it ends with the
// last of them.  Under `weir explore` time is always virtual.
'use strict';

const { coded } = require('core/errors');

let users = 0;

// Returns {end()}.
function begin() {
    if (require('explore/explore').isActive())
        return { end() {} };
    if (!require('threads/thread').isMainThread)
        throw coded(Error, 'ERR_WORKER_UNSUPPORTED_OPERATION',
            't.virtualTime() is not supported in workers');
    if (users === 0 && !native.begin())
        throw coded(Error, 'ERR_INVALID_STATE', 'Invalid state: the clock is frozen');
    users++;
    return {
        end() {
            if (--users === 0)
                native.end();
        },
    };
}

module.exports = { begin };
