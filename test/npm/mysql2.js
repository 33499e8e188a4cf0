'use strict';
// No server is there: what can be shown is that it loads, and what it says of a
// connection that is refused, and of a server that is none.
const net = require('node:net');
const mysql = require('mysql2');
const promise = require('mysql2/promise');

console.log(mysql.format('SELECT ? FROM ?? WHERE ?', [[1, "it's"], 'a.b',
    { at: new Date(0), none: null, bytes: Buffer.from('x') }]));
console.log(mysql.escape('\0\n"\'\\'), mysql.escapeId('a`b'), mysql.raw('NOW()').toSqlString());
const port = () => new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
        const { port: found } = server.address();
        server.close(() => resolve(found));
    });
});
(async () => {
    const closed = await port();
    const options = { host: '127.0.0.1', port: closed, user: 'root' };
    await promise.createConnection(options).catch((error) =>
        console.log(error.code, error.syscall, error.port === closed, error.fatal));
    const pool = promise.createPool({ ...options, connectionLimit: 2 });
    await pool.query('SELECT 1').catch((error) => console.log(error.code));
    await pool.end();
    mysql.createConnection(options).on('error', (error) => console.log('event', error.code));
    const server = net.createServer((socket) => socket.end('\x07\0\0\0\xffno\0', 'latin1'));
    server.listen(0, '127.0.0.1', async () => {
        await promise.createConnection({ ...options, port: server.address().port })
            .catch((error) => console.log(error.code, error.message));
        server.close(() => console.log('closed'));
    });
})();
