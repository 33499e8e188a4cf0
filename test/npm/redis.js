'use strict';
const { createClient } = require('redis');

(async () => {
    const client = createClient({ url: `redis://127.0.0.1:${process.env.REDIS_PORT}` });
    client.on('error', (error) => console.log('error', error.message));
    await client.connect();
    await client.flushAll();
    console.log(await client.set('key', 'value'), await client.get('key'));
    console.log(await client.multi().incr('n').incrBy('n', 5).get('n').exec());
    await client.hSet('hash', { a: '1', b: '2' });
    console.log({ ...await client.hGetAll('hash') });
    const subscriber = client.duplicate();
    await subscriber.connect();
    const heard = new Promise((resolve) => subscriber.subscribe('news', resolve));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await client.publish('news', 'hello');
    console.log(await heard);
    await subscriber.close();
    await client.close();
    console.log('closed');
})();
