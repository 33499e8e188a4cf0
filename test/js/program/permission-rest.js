// weir only
// Modules, processes, workers, the environment, the network, SQLite, jobs and
// traces, with and without permission.
'use strict';
const fs = require('node:fs');
const { DatabaseSync } = require('node:sqlite');
const { top, confined } = require('../support/confined.cjs');

fs.mkdirSync(`${top}/in/node_modules/pkg`, { recursive: true });
fs.mkdirSync(`${top}/out`);
fs.writeFileSync(`${top}/in/a.js`, 'module.exports = require("pkg") + require("./b.json").b');
fs.writeFileSync(`${top}/in/b.json`, '{"b": 1}');
fs.writeFileSync(`${top}/in/c.mjs`, 'export default 2');
fs.writeFileSync(`${top}/in/d.ts`, 'export const d: number = 3');
fs.writeFileSync(`${top}/in/node_modules/pkg/index.js`, 'module.exports = 10');
fs.writeFileSync(`${top}/out/secret.js`, 'module.exports = 1');
fs.writeFileSync(`${top}/out/secret.json`, '{}');
fs.symlinkSync('../out/secret.js', `${top}/in/link.js`);
new DatabaseSync(`${top}/out/secret.db`).exec('create table t (a); insert into t values (1)');

const code = `
const { createRequire } = require('module');
await attempt('require', () => require(top + '/in/a.js'));
await attempt('import', async () => (await import(top + '/in/c.mjs')).default);
await attempt('TypeScript', async () => (await import(top + '/in/d.ts')).d);
await attempt('a builtin', () => typeof process.getBuiltinModule('node:fs').readFileSync);
await attempt('a file elsewhere by it', () => process.getBuiltinModule('fs')
    .readFileSync(top + '/out/secret.json', 'utf8'));
await attempt('require elsewhere', () => require(top + '/out/secret.js'));
await attempt('require nothing elsewhere', () => require(top + '/out/none'));
await attempt('JSON', () => require(top + '/out/secret.json'));
await attempt('import elsewhere', () => import(top + '/out/secret.js'));
await attempt('import nothing elsewhere', () => import(top + '/out/none.mjs'));
await attempt('createRequire', () => createRequire(top + '/out/x')('./secret.js'));
await attempt('require a link', () => require(top + '/in/link.js'));
await attempt('resolve', () => require.resolve(top + '/out/secret.js'));
const child = require('child_process');
await attempt('spawn', () => new Promise((resolve, reject) =>
    child.spawn('/bin/true').on('error', reject).on('exit', resolve)));
await attempt('spawnSync', () => child.spawnSync('/bin/true').status);
await attempt('execSync', () => String(child.execSync('echo hello')));
await attempt('fork', () => new Promise((resolve, reject) =>
    child.fork(top + '/in/b.json', { execArgv: ['-e', '1'] }).on('error', reject).on('exit', resolve)));
await attempt('kill', () => process.kill(process.ppid, 0));
await attempt('kill itself', () => process.kill(process.pid, 0));
await attempt('priority', () => typeof require('os').getPriority(process.ppid));
const { Worker } = require('worker_threads');
await attempt('worker', () => new Promise((resolve, reject) => new Worker(
    \`let code; try { require('fs').readFileSync('\${top}/out/secret.js'); } catch (error) { code = error.code; }
    require('worker_threads').parentPort.postMessage([code, process.env.SECRET, process.permission.has('fs')])\`,
    { eval: true }).on('message', resolve).on('error', reject)));
await attempt('env', () => [process.env.SECRET, 'SECRET' in process.env, process.env.OPEN_A]);
await attempt('env names', () => Object.keys(process.env).filter((name) => /SECRET|OPEN/.test(name)));
await attempt('set env', () => { process.env.SECRET = 'x'; });
await attempt('delete env', () => { delete process.env.SECRET; });
const net = require('net'), dgram = require('dgram'), http = require('http');
const listening = (server, ...where) => new Promise((resolve, reject) =>
    server.on('error', reject).listen(...where, () => { server.close(); resolve(); }));
const connected = (...where) => new Promise((resolve, reject) => {
    const socket = net.connect(...where).on('error', reject);
    socket.on('connect', () => { socket.destroy(); resolve(); });
});
await attempt('listen', () => listening(net.createServer(), 0, '127.0.0.1'));
await attempt('http', () => listening(http.createServer(), 0, '127.0.0.1'));
await attempt('connect', () => connected(1, '127.0.0.1'));
await attempt('http.get', () => new Promise((resolve, reject) =>
    http.get('http://127.0.0.1:1/', resolve).on('error', reject)));
await attempt('fetch', () => fetch('http://127.0.0.1:1/'));
await attempt('lookup', () => require('dns').promises.lookup('127.0.0.1').then((found) => found.address));
await attempt('dgram', () => new Promise((resolve, reject) => {
    const socket = dgram.createSocket('udp4').on('error', reject);
    socket.bind(0, '127.0.0.1', () => { socket.close(); resolve(); });
}));
await attempt('serve', async () => {
    const { serve } = await import('weir:http');
    const server = await serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('') });
    await server.drain?.();
});
await attempt('WebSocket', () => new Promise((resolve, reject) => {
    new WebSocket('ws://127.0.0.1:1/').onerror = () => resolve('an error');
}));
await attempt('Unix socket', () => listening(net.createServer(), top + '/in/socket'));
await attempt('Unix socket elsewhere', () => listening(net.createServer(), top + '/out/socket'));
await attempt('connect to a file elsewhere', () => connected(top + '/out/secret.js'));
await attempt('abstract socket', () => listening(net.createServer(), '\\0weir-' + process.pid));
const { DatabaseSync, backup } = require('node:sqlite');
await attempt('sqlite', () => { new DatabaseSync(top + '/in/a.db').exec('create table if not exists t (a)'); });
await attempt('sqlite elsewhere', () => { new DatabaseSync(top + '/out/secret.db'); });
await attempt('sqlite to read', () => { new DatabaseSync(top + '/out/secret.db', { readOnly: true }); });
await attempt('sqlite URI', () => { new DatabaseSync('file:' + top + '/out/secret.db?vfs=unix'); });
const memory = new DatabaseSync(':memory:');
await attempt('attach', () => memory.exec("attach '" + top + "/in/b.db' as b"));
await attempt('attach elsewhere', () => memory.exec("attach '" + top + "/out/secret.db' as c"));
await attempt('attach by expression', () => memory.exec("attach '" + top + "' || '/out/secret.db' as c"));
await attempt('vacuum', () => memory.exec('vacuum'));
await attempt('vacuum into', () => memory.exec("vacuum into '" + top + "/in/v.db'"));
await attempt('vacuum into elsewhere', () => memory.exec("vacuum into '" + top + "/out/v.db'"));
await attempt('extensions', () => { new DatabaseSync(':memory:', { allowExtension: true }); });
await attempt('backup', () => backup(memory, top + '/out/backup.db'));
await attempt('jobs', async () => {
    const { Jobs } = await import('weir:jobs');
    new Jobs(top + '/out/jobs.db');
});
await attempt('trace', async () => { await (await import('weir:live')).save(top + '/out/trace'); });
say('has', ['fs', 'fs.read', 'fs.write', 'child', 'worker', 'net', 'env', 'other'].filter((one) => process.permission.has(one)));
say('has for', [process.permission.has('fs.read', top + '/in/a.js'), process.permission.has('fs.read', top + '/in/../out'),
    process.permission.has('env', 'OPEN_A'), process.permission.has('env', 'SECRET')]);
`;
const env = { ...process.env, SECRET: 'secret', OPEN_A: 'a' };
confined('files only', ['--allow-fs-read=TOP/in', '--allow-fs-write=TOP/in'], code, env);
confined('more', ['--allow-fs-read=TOP/in', '--allow-fs-write=TOP/in', '--allow-child', '--allow-worker',
    '--allow-net', '--allow-env=OPEN_*,OTHER'], code, env);
console.log(fs.readdirSync(`${top}/out`).sort());
