// weir only
// The figures of the heap are those of weir's engine: they add up, and they grow with what
// the program holds.
const v8 = require('node:v8');
const { Worker } = require('node:worker_threads');
const { execFileSync } = require('node:child_process');

console.log(Object.keys(v8.getHeapStatistics()).join(' '));
const before = v8.getHeapStatistics();
const held = Array.from({ length: 20000 }, (none, at) => ({ at, text: `number ${at}` }));
const buffer = new ArrayBuffer(8e6);
const after = v8.getHeapStatistics();
const grown = (key) => after[key] - before[key];
console.log(grown('used_heap_size') > 1e6, grown('total_heap_size') > 8e6,
    grown('peak_malloced_memory') > 8e6, grown('external_memory') >= buffer.byteLength);
console.log(after.used_heap_size <= after.total_heap_size,
    after.total_available_size === after.heap_size_limit - after.total_heap_size,
    after.heap_size_limit <= require('node:os').totalmem());

const spaces = v8.getHeapSpaceStatistics();
console.log(spaces.map(({ space_name: name }) => name).join(' '));
const sum = spaces.reduce((all, { space_used_size: size }) => all + size, 0);
console.log(sum > after.used_heap_size * 0.5, sum <= after.total_heap_size);
const code = v8.getHeapCodeStatistics();
// A function of which nothing has been compiled before.
const more = eval(`(function () { return [${'Math.sin(1), '.repeat(1000)}]; })`);
console.log(Object.keys(code).join(' '), v8.getHeapCodeStatistics().bytecode_and_metadata_size >
    code.bytecode_and_metadata_size + 1000, held.length, typeof more);

// Limits: of the whole process, and of a worker.
const text = 'console.log(require("v8").getHeapStatistics().heap_size_limit / 2 ** 20)';
console.log(execFileSync(process.execPath, ['--memory-limit=64M', '-e', text],
    { encoding: 'utf8' }));
new Worker(text, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 32 } });
