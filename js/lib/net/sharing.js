// SPDX-License-Identifier: MIT
// net/sharing -- how servers and sockets of a cluster's worker are bound.
'use strict';

module.exports = {
    // Ask the primary (process/clusterchild), unless this process is no worker.
    // The callback gets an error, and either {descriptor, track}, where track is
    // called with the handle that was made of the descriptor, or {handle}, which
    // stands for a socket of the primary and takes the connections that it sends:
    // to handle.acceptor, once that was set.
    ask: undefined, // (server or socket, query, callback)
};
