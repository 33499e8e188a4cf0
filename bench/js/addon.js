// SPDX-License-Identifier: MIT
// Four threads of C that call a function here: post.c on Node.  The argument
// is the addon.
'use strict';

let count = 0, sum = 0;

require(process.argv[2]).run((number) => { count++; sum += number; },
    (ns) => console.log(count === 1000000 ? ns : 'calls are missing'));
