'use strict';
const { connect, StringCodec } = require('nats');

(async () => {
    const nc = await connect({ servers: `127.0.0.1:${process.env.NATS_PORT}` });
    const codec = StringCodec();
    const subscription = nc.subscribe('news.*', { max: 3 });
    for (const n of [1, 2, 3])
        nc.publish(`news.${n}`, codec.encode(`hello ${n}`));
    for await (const message of subscription)
        console.log(message.subject, codec.decode(message.data));
    nc.subscribe('time', { callback: (error, message) => message.respond(codec.encode('now')) });
    console.log(codec.decode((await nc.request('time')).data));
    await nc.request('nobody', undefined, { timeout: 200 }).catch((error) => console.log(error.code));
    await nc.drain();
    console.log('drained', nc.isClosed());
})();
