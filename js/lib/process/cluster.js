// SPDX-License-Identifier: MIT
// process/cluster -- Node's module `cluster`: several processes that serve one port.
//
//     primary         forks the workers, and owns the sockets     process/primary
//       roundrobin    accepts, and gives connections to workers in turn
//       sharedsocket  gives the socket itself to the workers
//     clusterchild    this process is a worker: its servers ask the primary
//     clusterworker   the class Worker, in both
//     intercom        the messages between them, which are Node's
'use strict';

module.exports = 'NODE_UNIQUE_ID' in require('program/process').env
    ? require('process/clusterchild') : require('process/primary');
