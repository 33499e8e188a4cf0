// weir only
// What serve() refuses, and addresses.
import { serve } from 'weir:http';
import fs from 'node:fs';

const fetch = () => new Response('x');
const attempt = async (options) => {
    try {
        const server = await serve(options);
        await server.close();
        return 'served';
    } catch (error) {
        return `${error.name} ${error.code}: ${error.message}`;
    }
};
for (const options of [undefined, null, {}, { fetch: 5 }, { fetch, port: 'x' }, { fetch, port: 65536 },
    { fetch, port: -1 }, { fetch, port: 0, hostname: 5 }, { fetch, port: 0, hostname: 'not an address' },
    { fetch, port: 0, maxBodySize: 'x' }, { fetch, port: 0, headerTimeout: -1 },
    { fetch, port: 0, error: 5 }, { fetch, path: '' }, { fetch, static: 5 },
    { fetch, port: 0, tls: 5 }, { fetch, port: 0, tls: { cert: 5 } },
    { fetch, port: 0, tls: { cert: 'x', key: 'y' } }, { fetch, port: 0, signal: 5 },
    { fetch, port: 0, drain: { deadline: NaN } }, { fetch, port: 0, hostname: '127.0.0.1' },
    { fetch, port: 0, hostname: 'localhost' }, { fetch, port: 0, hostname: '[::1]' }])
    console.log((await attempt(options)).replace(/\n.*/s, ''));

const first = await serve({ fetch, port: 0, hostname: '127.0.0.1' });
console.log(first.hostname, first.port === +first.url.port, first.path, String(first));
console.log((await attempt({ fetch, port: first.port, hostname: '127.0.0.1' }))
    .replace(first.port, 'PORT'));
await first.close();

const path = `/tmp/weir-serve-${process.pid}.sock`;
const local = await serve({ fetch, path });
console.log(local.path === path, local.port, local.url, fs.existsSync(path));
await local.close();
console.log(fs.existsSync(path));
const { Server } = await import('weir:http');
try {
    new Server();
} catch (error) {
    console.log(error.code);
}
