'use strict';
// What main.js and its copies fork: it serves what it gets.
const fs = require('fs');

const mine = [];
const turns = (left, then) => left === 0 ? then() : setImmediate(turns, left - 1, then);
const describe = (handle) => handle?.constructor.name;

process.on('message', (message, handle) => {
    if (message === 'server') {
        handle.on('connection', (socket) => socket.end('served by the child'));
        mine.push(handle);
        process.send([describe(handle), handle.listening]);
    } else if (message === 'socket') {
        handle.setEncoding('utf8').once('data', (text) => handle.end(`${text}, answered by the child`));
        process.send([describe(handle)]);
    } else if (message === 'write') {
        handle.write('by the child', () => handle.destroy());
        process.send([describe(handle)]);
    } else if (message === 'datagrams') {
        handle.on('message', (bytes, { port, address }) => handle.send(`${bytes}, echoed by the child`, port, address));
        mine.push(handle);
        process.send([describe(handle)]);
    } else if (message === 'connection') {
        handle.on('error', () => {}).destroy();
        process.send([describe(handle)]);
    } else if (message === 'hold') {
        handle.resume();
        mine.push(handle);
    } else if (message === 'release') {
        mine.pop().destroy();
    } else if (message === 'back') {
        require('net').createServer().listen(0, '127.0.0.1', function () {
            process.send({ port: this.address().port }, this, () => this.close());
        });
    } else if (message === 'close') {
        for (const each of mine.splice(0))
            each.close();
        turns(5, () => process.send(fs.readdirSync('/proc/self/fd').length));
    } else if (message === 'end') {
        process.disconnect();
    } else {
        process.send([message, describe(handle) ?? 'no handle']);
    }
});
process.send(fs.readdirSync('/proc/self/fd').length);
