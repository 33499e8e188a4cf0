#!/usr/bin/env weir
console.log('main'); const a = require('./a'), b = require('./b'); console.log(a.done, b.done, a.seen, b.seen);
