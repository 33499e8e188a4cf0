// weir only
// A handler gets the request and the context however it looks at them.
import { serve } from 'weir:http';

const kind = (value) => value === undefined ? 'undefined'
    : Object.prototype.toString.call(value).slice(8, -1);
const tell = (...values) => new Response(values.map(kind).join(' '));

class Service {
    both(request, context) { return tell(request, context); }
    async awaits(request, context) {
        await null;
        return tell(request, context);
    }
}

const handlers = {
    none: () => tell(),
    request: (request) => tell(request),
    both: (request, context) => tell(request, context),
    more: (request, context, third) => tell(request, context, third),
    defaults: (request = 1, context = 2) => tell(request, context),
    pattern: ({ method }, { addr }) => new Response(`${method} ${typeof addr}`),
    rest: (...all) => tell(...all),
    restAfter: (request, ...others) => tell(request, ...others),
    args() { return tell(...arguments); },
    argsMapped: Function('return new Response(String(arguments.length))'),
    argsLength() { return new Response(String(arguments.length)); },
    argsInArrow() { return (() => tell(...arguments))(); },
    argsInEval() { return eval('tell(...arguments)'); },
    argsInNested() {
        const nested = () => () => arguments[1];
        return tell(nested()());
    },
    async awaits(request, context) {
        await null;
        return tell(request, context);
    },
    awaitsArgs: async function() {
        await null;
        return tell(...arguments);
    },
    bound: function(first, request, context) {
        return tell(first, request, context);
    }.bind(null, 'first'),
    proxy: new Proxy((request, context) => tell(request, context), {}),
    method: Service.prototype.both,
    asyncMethod: Service.prototype.awaits,
    // What was not made is not missing later.
    late: async () => {
        await null;
        return tell();
    },
    thrown: () => { throw new Error('caught'); },
};

// All at once: each drain waits a second for the connection of its client.
async function tryHandler([name, fetch]) {
    const server = await serve({ port: 0, hostname: '127.0.0.1', fetch,
        error: name === 'thrown' ? (error) => new Response(error.message) : undefined });
    const response = await globalThis.fetch(`http://127.0.0.1:${server.port}/`);
    const text = await response.text();
    await server.drain({ deadline: 1000 });
    return `${name} ${text}`;
}

for (const line of await Promise.all(Object.entries(handlers).map(tryHandler)))
    console.log(line);
