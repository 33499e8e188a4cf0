// weir only
// exit: 143
// stderr: weir: ended by a second signal (Terminated), in a callback that did not return
// A program that serves ends at the second signal, even if JavaScript does not
// return; but its own listener decides, and other signals have to wait.
import { serve } from 'weir:http';

const server = await serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
const ignore = () => console.log('ignored');

function spin(count) {
    for (let i = 0; i < count; i++) {
        process.kill(process.pid, 'SIGTERM');
        process.kill(process.pid, 'SIGUSR1');
    }
}

let usr1 = 0;
process.on('SIGUSR1', () => usr1++);
process.on('SIGTERM', ignore);
spin(10_000);
setTimeout(() => {
    process.off('SIGTERM', ignore);
    console.log(`SIGUSR1: ${usr1}`);
    setTimeout(() => {
        console.log('spinning');
        spin(Infinity);
    });
    server.draining.addEventListener('abort', () => console.log('not reached'));
}, 10);
