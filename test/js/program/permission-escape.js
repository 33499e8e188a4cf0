// weir only
// What a library would open, serve or delete by itself, behind the checks of paths.
'use strict';
const fs = require('node:fs');
const { DatabaseSync } = require('node:sqlite');
const { top, confined } = require('../support/confined.cjs');

for (const name of ['in', 'in/@scope', 'out', 'seen'])
    fs.mkdirSync(`${top}/${name}`);
fs.writeFileSync(`${top}/out/secret`, 'secret');
new DatabaseSync(`${top}/out/secret.db`).exec('create table t (a); insert into t values (1)');

confined('SQLite', ['--allow-fs-read=TOP/in', '--allow-fs-write=TOP/in', '--allow-fs-read=TOP/seen'], `
process.chdir(top + '/in');
const fs = require('fs'), { DatabaseSync, backup } = require('node:sqlite');
const { Jobs } = await import('weir:jobs');
const db = new DatabaseSync(':memory:');
for (const name of ['none/../../out/secret.db', 'file:' + top + '/out/secret.db']) {
    await attempt('attach', () => db.exec("attach '" + name + "' as a"));
    await attempt('vacuum', () => db.exec("vacuum into '" + name + "2'"));
    await attempt('open', () => new DatabaseSync(name + '3') && 0);
    await attempt('backup', () => backup(db, name + '4'));
    await attempt('jobs', () => new Jobs(name + '5') && 0);
}
await attempt('tokenizer', () => db.prepare("select fts3_tokenizer('a', ?)").get(Buffer.alloc(8, 65)));
const copy = backup(db, 'copy.db');
process.chdir(top + '/seen');
await attempt('backup and chdir', () => copy.then(() => fs.existsSync(top + '/in/copy.db')));
// A journal whose end names the file that is to be deleted.
const magic = Buffer.from('d9d505f920a163d7', 'hex'), name = Buffer.from(top + '/out/secret');
const head = Buffer.alloc(512), tail = Buffer.alloc(16), page = Buffer.alloc(4);
magic.copy(head);
[0, 0, 2, 512, 4096].forEach((number, i) => head.writeUInt32BE(number, 8 + 4 * i));
page.writeUInt32BE(0x40000000 / 4096 + 1);
tail.writeUInt32BE(name.length);
tail.writeUInt32BE(name.reduce((sum, byte) => sum + byte, 0), 4);
magic.copy(tail, 8);
new DatabaseSync(top + '/in/hot.db').exec('create table t (a)');
fs.writeFileSync(top + '/in/hot.db-journal', Buffer.concat([head, page, name, tail]));
await attempt('journal', () => new DatabaseSync(top + '/in/hot.db').exec('select * from t'));
`);
confined('network', ['--allow-fs-read=TOP/in', '--allow-net'], `
process.chdir(top + '/in');
const net = require('net'), { Jobs } = await import('weir:jobs');
const { serve } = await import('weir:http');
await attempt('listen', () => new Promise((resolve, reject) =>
    net.createServer().on('error', reject).listen('@scope/../../out/socket', resolve)));
await attempt('jobs', () => new Jobs('postgres:x/../../out/j.db') && 0);
const server = await serve({ port: 0, hostname: '127.0.0.1', static: top + '/out', error: describe_ });
function describe_(error) { say('static', describe(error)); return new Response('', { status: 500 }); }
await attempt('fetch', async () => (await fetch('http://127.0.0.1:' + server.port + '/secret')).status);
process.exit();
`);
confined('O_TMPFILE', ['--allow-fs-read=TOP/in', '--allow-fs-write=TOP/in'], `
const { O_RDWR } = require('fs').constants, O_TMPFILE = 0o20200000;
await attempt('open', () => require('fs').openSync(top + '/in', O_RDWR | O_TMPFILE, 0o600) > 2);
`);
console.log(fs.readdirSync(`${top}/out`).join(), fs.readdirSync(`${top}/seen`).join());
