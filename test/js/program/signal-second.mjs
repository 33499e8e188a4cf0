// weir only
// exit: 143
// stderr: weir: ended by a second signal (Terminated), in a callback that did not return
// A program that serves ends at the second signal, even if JavaScript does not
// return; but its own listener decides, and other signals have to wait.
import { serve } from 'weir:http';

const server = await serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
let ignored = 0, usr1 = 0;
const ignore = () => ignored++;

function spin(count) {
    for (let i = 0; i < count; i++) {
        process.kill(process.pid, 'SIGTERM');
        process.kill(process.pid, 'SIGUSR1');
    }
}

process.on('SIGUSR1', () => usr1++);
process.on('SIGTERM', ignore);
// The kernel gives a signal with a higher number after those that wait.
process.once('SIGWINCH', () => {
    process.off('SIGTERM', ignore);
    // Those of a kind that wait are one, and one may have been on its way.
    console.log('each came', ignored === 1 || ignored === 2, usr1 === 1 || usr1 === 2);
    setTimeout(() => {
        console.log('spinning');
        spin(Infinity);
    });
    server.draining.addEventListener('abort', () => console.log('not reached'));
});
spin(10_000);
process.kill(process.pid, 'SIGWINCH');
