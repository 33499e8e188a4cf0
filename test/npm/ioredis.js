'use strict';
const Redis = require('ioredis');

(async () => {
    const redis = new Redis({ port: process.env.REDIS_PORT, host: '127.0.0.1' });
    await redis.flushall();
    console.log(await redis.set('key', 'value'), await redis.get('key'));
    console.log(await redis.pipeline().incr('n').incr('n').get('n').exec());
    console.log(await redis.hset('hash', { a: 1, b: 2 }), await redis.hgetall('hash'));
    const subscriber = redis.duplicate();
    await subscriber.subscribe('news');
    const heard = new Promise((resolve) => subscriber.on('message', (...all) => resolve(all)));
    await redis.publish('news', 'hello');
    console.log(await heard);
    console.log((await redis.getBuffer('key')).toString('hex'));
    await redis.call('nonsense').catch((error) => console.log(error.message.slice(0, 31)));
    await subscriber.quit();
    console.log(await redis.quit());
})();
