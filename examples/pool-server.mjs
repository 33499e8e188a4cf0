// SPDX-License-Identifier: MIT
// Asks a pool of workers until SIGTERM; then waits for the answers that are
// under way, and exits.
//
//     build/weir examples/pool-server.mjs & sleep 1; kill $!
import { Pool } from 'weir:pool';
import { Service } from 'weir:service';

const pool = new Pool((n) => {
    const fibonacci = (i) => i < 2 ? i : fibonacci(i - 1) + fibonacci(i - 2);
    return fibonacci(n);
}, { size: 2 });
const service = new Service({ name: 'fibonacci', deadline: 5000 });
let asked = 0, answered = 0;

async function ask(n) {
    asked++;
    const answer = await pool.run(n, { name: `fibonacci(${n})` });
    if (answered++ === 0)
        console.log(`fibonacci(${n}) is ${answer}, process ${process.pid}`);
}

service.start();
setInterval(() => service.run(() => ask(20)).catch(() => {}), 5);
process.on('exit', () =>
    console.log(`${service.state}: ${answered} of ${asked} answered`));
