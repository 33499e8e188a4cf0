// What comes first after the program's own text, a timer that is due or an
// immediate: modules and workers run where I/O is served.
import { Worker } from 'worker_threads';
import { fileURLToPath } from 'url';
import './puzzle.cjs';
await new Promise((resolve) => setTimeout(resolve, 50));
for (const name of ['puzzle.cjs', 'module.mjs']) {
    const worker = new Worker(fileURLToPath(new URL(name, import.meta.url)));
    worker.on('message', (line) => console.log(name, line));
    await new Promise((resolve) => worker.on('exit', resolve));
}
