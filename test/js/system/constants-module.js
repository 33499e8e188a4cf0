// node:constants has the constants of os and fs.
'use strict';
const constants = require('constants');
const { dlopen, errno, priority, signals } = require('os').constants;
const fs = require('fs');

const all = { ...dlopen, ...errno, ...priority, ...signals, ...fs.constants };
console.log(Object.keys(all).every((key) => constants[key] === all[key]));
console.log(Object.keys(constants).slice(0, Object.keys(all).length).join(' '));
console.log(JSON.stringify(all));
console.log(Object.isFrozen(constants), require('node:constants') === constants);
for (const key of ['F_OK', 'R_OK', 'W_OK', 'X_OK'])
    console.log(fs[key], fs[key] === fs.constants[key]);
console.log(fs.promises.constants === fs.constants,
    require('fs/promises').constants === fs.constants);
