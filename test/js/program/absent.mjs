// weir only
// Modules that can be loaded, but not used.
import { createRequire } from 'node:module';
import { createServer, Http2ServerRequest } from 'node:http2';
import { promisify } from 'util';

function show(f) {
    try {
        console.log(f());
    } catch (error) {
        console.log(error.code, error.message);
    }
}

const require = createRequire(import.meta.url);
for (const name of ['http2', 'vm'])
    console.log(name, Object.keys(require(name)).length, require(name) === require(`node:${name}`));
show(() => createServer());
show(() => new Http2ServerRequest());
show(() => new class Own extends Http2ServerRequest {}());
show(() => require('v8').getHeapSnapshot());
await promisify(require('vm').measureMemory)('x').catch(({ code }) => console.log(code));
