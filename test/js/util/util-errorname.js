'use strict';
const { getSystemErrorName } = require('util');

for (const err of [-1, -2, -13, -110, -4095, -9999, -(2 ** 40), 0, 2, -1.5, NaN, 'x', undefined, null])
    try {
        console.log(err, getSystemErrorName(err));
    } catch (error) {
        console.log(err, error.name, error.code, error.message);
    }
