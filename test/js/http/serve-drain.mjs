// weir only
// The drain: what has arrived is answered, what is left at the deadline is cut.
import { serve } from 'weir:http';

const open = async (options) => {
    const inside = Promise.withResolvers();
    const server = await serve({ port: 0, hostname: '127.0.0.1',
        fetch: (request, context) => options.fetch(request, context, inside.resolve), ...options.more });
    return { server, inside: inside.promise };
};

// A request that is being handled is answered, and then the server ends.
{
    const gate = Promise.withResolvers();
    const { server, inside } = await open({ async fetch(request, context, entered) {
        entered();
        await gate.promise;
        return new Response(`aborted: ${context.signal.aborted}`);
    } });
    const asked = fetch(server.url);
    await inside;
    console.log(server.report().holders.map(({ phase, method, target }) => [phase, method, target]));
    const drained = server.drain({ deadline: 30_000 });
    gate.resolve();
    const response = await asked;
    console.log(await response.text(), response.headers.get('connection'));
    const { forced, responses, cut } = await drained;
    console.log(forced, responses, cut, await server.finished === await drained);
}

// A long response is told, and ends by itself.
{
    const { server, inside } = await open({ fetch(request, { draining }, entered) {
        return new Response((async function* () {
            yield 'begun ';
            entered();
            await new Promise((resolve) => draining.addEventListener('abort', resolve));
            yield `told: ${draining.reason.name}`;
        })());
    } });
    const asked = fetch(server.url).then((response) => response.text());
    await inside;
    const { forced } = await server.drain({ deadline: 30_000 });
    console.log(await asked, forced);
}

// The deadline cuts off what is left: 503, or a broken response.
{
    const aborted = Promise.withResolvers();
    const { server, inside } = await open({ fetch(request, context, entered) {
        entered();
        request.signal.addEventListener('abort', () => aborted.resolve(request.signal.reason.name));
        return new Promise(() => {});
    } });
    const asked = fetch(server.url);
    await inside;
    const drained = server.drain();
    server.drain({ deadline: 20 });
    console.log((await asked).status, await aborted.promise);
    const { forced, cut } = await drained;
    console.log(forced, cut);
}

// A deadline of 0 is one: a server that began to drain before, with the default, is
// still draining.
{
    const stuck = (request, context, entered) => {
        entered();
        return new Promise(() => {});
    };
    const patient = await open({ fetch: stuck });
    const { server, inside } = await open({ fetch: stuck, more: { drain: { deadline: 0 } } });
    const asked = [server, patient.server].map(({ url }) => fetch(url));
    await Promise.all([inside, patient.inside]);
    let isFirst = true;
    patient.server.drain().then(() => { isFirst = false; });
    const { forced, cut } = await server.drain();
    console.log((await asked[0]).status, forced, cut, isFirst);
    await patient.server.drain({ deadline: 0 });
    console.log((await asked[1]).status);
}

// close() ends at once; a server without connections ends by itself.
{
    const { server } = await open({ fetch: () => new Response('x') });
    await (await fetch(server.url)).text();
    console.log((await server.close()).forced);
    const controller = new AbortController();
    const { server: other } = await open({ fetch: () => new Response('x'),
        more: { signal: controller.signal } });
    controller.abort();
    console.log((await other.finished).forced, other.draining.aborted);
}

// The probes of a load balancer.
{
    const { server } = await open({ fetch: () => new Response('x'),
        more: { health: true, drain: { delay: 30_000 } } });
    const probe = async (path) => (await fetch(new URL(path, server.url))).status;
    console.log(await probe('/livez'), await probe('/readyz'));
    const drained = server.drain({ deadline: 60_000 });
    console.log(await probe('/livez'), await probe('/readyz'));
    server.close();
    await drained;
}

// A server that is unreferenced does not keep the program alive.
const { server: last } = await open({ fetch: () => new Response('x') });
last.unref().ref().unref();
console.log('end');
