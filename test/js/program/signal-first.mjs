// weir only
// A signal that arrives while JavaScript runs begins the drain when it returns.
import { serve } from 'weir:http';

const server = await serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
server.draining.addEventListener('abort', () => console.log('drains'));
server.finished.then(({ forced }) => console.log(forced ? 'cut off' : 'complete'));
setTimeout(() => {
    let sum = 0;
    process.kill(process.pid, 'SIGTERM');
    for (let i = 0; i < 300_000; i++)
        sum += i;
    console.log(`computed ${sum}`);
}, 1);
