'use strict';
const fastify = require('fastify')({ logger: false });
const { ask } = require('./support/ask.cjs');

fastify.get('/', async () => ({ hello: 'world' }));
fastify.get('/users/:id', { schema: { params: { type: 'object',
    properties: { id: { type: 'integer' } } } } }, async (request) => request.params);
fastify.post('/echo', async (request, reply) => reply.code(201).send(request.body));
fastify.addHook('onSend', async (request, reply) => { reply.header('x-hook', 'yes'); });

(async () => {
    const at = await fastify.listen({ port: 0, host: '127.0.0.1' });
    await ask(`${at}/`);
    await ask(`${at}/users/12`);
    await ask(`${at}/users/twelve`);
    await ask(`${at}/echo`, { method: 'POST', body: '{"a":1}', type: 'application/json' });
    await ask(`${at}/none`);
    const injected = await fastify.inject({ method: 'GET', url: '/' });
    console.log('injected', injected.statusCode, injected.body);
    await fastify.close();
    console.log('closed');
})();
