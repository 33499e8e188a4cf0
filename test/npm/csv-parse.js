'use strict';
const { parse } = require('csv-parse');
const { parse: parseSync } = require('csv-parse/sync');

console.log(parseSync('a,b\n1,"two, 2"\n3,4\n', { columns: true }));
const parser = parse({ delimiter: ';' });
parser.on('data', (row) => console.log('row', row));
parser.on('end', () => console.log('end'));
parser.write('x;y\n1');
parser.end(';2\n');
parse('a,b\n1\n', (error) => console.log(error.code, error.message));
