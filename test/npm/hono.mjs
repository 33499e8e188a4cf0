import { Hono } from 'hono';
import { cors } from 'hono/cors';

const app = new Hono();
app.use('*', cors());
app.get('/', (c) => c.text('Hello Hono!'));
app.get('/users/:id', (c) => c.json({ id: c.req.param('id'), q: c.req.query('q') }));
app.post('/echo', async (c) => c.json(await c.req.json(), 201));
app.notFound((c) => c.text('nothing here', 404));

for (const [path, init] of [['/'], ['/users/3?q=x'],
    ['/echo', { method: 'POST', body: '{"a":1}', headers: { 'content-type': 'application/json' } }],
    ['/none']]) {
    const response = await app.request(path, init);
    console.log(path, response.status, [...response.headers].map(String).join('; '),
        await response.text());
}
