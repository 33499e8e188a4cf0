// SPDX-License-Identifier: MIT
// blocked -- tell the program what has blocked one of its event loops.
'use strict';

const { channel } = require('events/diagnostics');

const blocked = channel('weir:blocked');

function tell(block) {
    if (blocked.hasSubscribers)
        blocked.publish(block);
    require('program/process').emit('blocked', block);
}

module.exports = { tell };
