// SPDX-License-Identifier: MIT
// hooks -- the functions of process.js that C calls, which programs cannot
// reach; `program`, the file and module that module.js leaves for it; `runningChildren` of
// process/process.js;
// `tellEmitter` of events.js; `checkImport` of vm.js, once it is loaded; `isURL` of url.js; `stdout` and `stderr`, once a
// program has used these streams; and `fileStreams` of fs.js, which
// `inheritStreams` of stream.js makes streams.
'use strict';

module.exports = {};
