// A listener for uncaught errors sees the store of the code that threw.
// virtual clock
'use strict';

const { AsyncLocalStorage } = require('node:async_hooks');

const storage = new AsyncLocalStorage();

process.on('uncaughtException', (error, origin) =>
    console.log(origin, error.message, storage.getStore()));

storage.run('tick', () => process.nextTick(() => { throw new Error('tick'); }));
storage.run('timer', () => setTimeout(() => {
    setImmediate(() => { throw new Error('immediate'); });
    throw new Error('timer');
}, 1));
setTimeout(() => { throw new Error('none'); }, 100);
storage.run('handled', () => setTimeout(() => {
    try {
        throw new Error('handled');
    } catch (error) {
        console.log('caught', error.message, storage.getStore());
    }
}, 200));
setTimeout(() => {
    process.on('unhandledRejection', (error) =>
        console.log('unhandledRejection', error.message, storage.getStore()));
    storage.run('rejected', () => Promise.reject(new Error('rejected')));
    storage.run('async', async () => {
        await undefined;
        throw new Error('async');
    });
    Promise.reject(new Error('outside'));
}, 300);
