'use strict';
const Koa = require('koa');
const { ask } = require('./support/ask.cjs');

const app = new Koa();
app.use(async (ctx, next) => {
    await next();
    ctx.set('X-Order', 'outer');
});
app.use(async (ctx) => {
    if (ctx.path === '/fail')
        ctx.throw(418, 'teapot');
    if (ctx.path === '/json')
        ctx.body = { query: ctx.query, ip: ctx.ip };
    else if (ctx.path === '/stream')
        ctx.body = require('stream').Readable.from(['a', 'b', 'c']);
    else
        ctx.body = 'Hello World';
});
app.silent = true;
const server = app.listen(0, '127.0.0.1', async () => {
    const at = `http://127.0.0.1:${server.address().port}`;
    await ask(`${at}/`);
    await ask(`${at}/json?x=1`);
    await ask(`${at}/stream`);
    await ask(`${at}/fail`);
    await ask(`${at}/`, { method: 'HEAD' });
    server.close(() => console.log('closed'));
});
