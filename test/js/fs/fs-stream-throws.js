// weir only
// A read of a stream's own fs that throws: the stream fails and is closed.  Node
// waits forever for the operation that did not begin.
'use strict';

const fs = require('node:fs');

const read = () => { throw new Error('no read'); };
const stream = fs.createReadStream(__filename, { fs: { ...fs, read } });

stream.on('error', (error) => console.log('error', error.message));
stream.on('close', () => console.log('close'));
stream.resume();
