// process.getBuiltinModule: builtins by name, from modules that have no require.
import { createRequire } from 'node:module';
import { inspect } from 'node:util';
import { Worker } from 'node:worker_threads';
import fs from 'node:fs';
const { log } = console;
const require = createRequire(import.meta.url);
const { getBuiltinModule } = process;

for (const id of ['fs', 'node:fs', 'fs/promises', 'node:path/posix', 'process', 'node:test', 'test',
    'node:test/reporters', 'test/reporters', 'worker_threads'])
    log(id, typeof getBuiltinModule(id));
for (const id of ['', 'node:', 'nothing', 'node:nothing', 'node:node:fs', 'NODE:fs', 'fs\0', ' fs',
    './fs', '/etc/passwd', 'file:///etc/passwd', 'internal/util', 'toString', '__proto__', 'fs/'])
    log(inspect(id), getBuiltinModule(id));

log(getBuiltinModule('fs') === require('fs'), getBuiltinModule('node:fs') === fs,
    getBuiltinModule('process') === process);
require.cache.path = { exports: 'a program\'s own' }; // which is not a builtin
log(require('path'), typeof getBuiltinModule('path').join);
delete require.cache.path;

for (const id of [undefined, null, 5, Symbol('fs'), {}, ['fs'], new String('fs')])
    try {
        log(getBuiltinModule(id));
    } catch (error) {
        log(error.name, error.code, error.message);
    }
log(getBuiltinModule.name, getBuiltinModule.length,
    Object.getOwnPropertyDescriptor(process, 'getBuiltinModule').enumerable);

new Worker('console.log(typeof process.getBuiltinModule("node:os").cpus, ' +
    'process.getBuiltinModule("nothing"))', { eval: true });
