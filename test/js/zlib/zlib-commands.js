'use strict';
// weir only
// long: address thread
// What gzip, brotli and zstd write, this reads, and the other way round.
const assert = require('assert');
const { spawnSync } = require('child_process');
const zlib = require('zlib');

const text = Buffer.from('The quick brown fox jumps over the lazy dog. '.repeat(3000));
const samples = [Buffer.alloc(0), Buffer.from([0]), text, Buffer.from(Array.from({ length: 50000 }, (_, i) => i * i * 31 >> 3 & 255))];

function run(command, args, input) {
    const { status, stdout, stderr } = spawnSync(command, args, { input, maxBuffer: 1e8 });
    assert.equal(status, 0, String(stderr));
    return stdout;
}

for (const [command, pack, unpack] of [['gzip', 'gzip', 'gunzip'], ['gzip', 'gzip', 'unzip'], ['brotli', 'brotliCompress', 'brotliDecompress'],
    ['zstd', 'zstdCompress', 'zstdDecompress']])
    for (const data of samples) {
        assert.deepEqual(run(command, ['-dc'], zlib[`${pack}Sync`](data)), data);
        for (const level of ['-1', '-9'])
            assert.deepEqual(zlib[`${unpack}Sync`](run(command, [level, '-c'], data)), data);
    }
console.log('ok');
