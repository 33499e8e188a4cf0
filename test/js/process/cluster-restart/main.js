'use strict';
// weir only: Node loses requests, or waits for clients that keep connections alive.
//
// Each of 4 workers is replaced under load, by disconnect() and by SIGTERM with
// close().  Clients use connections again until they are told not to.
const cluster = require('cluster');
const { once } = require('events');
const http = require('http');

const WORKERS = 4, CLIENTS = 8, BETWEEN = 50;

async function start() {
    const worker = cluster.fork();
    const [{ port }] = await once(worker, 'listening');
    return { worker, port };
}

class Load {
    done = 0;
    lost = [];
    closed = 0;
    #isOver = false;
    #port;
    #isKept;
    #clients;

    constructor(port, isKept) {
        this.#port = port;
        this.#isKept = isKept;
        this.#clients = Array.from({ length: CLIENTS }, () => this.#run());
    }

    #agent() { return new http.Agent(this.#isKept ? { keepAlive: true, maxSockets: 1 } : {}); }

    #ask(agent) {
        return new Promise((resolve) => http.get({ port: this.#port, host: '127.0.0.1', agent }, (res) => {
            let text = '';
            res.setEncoding('utf8').on('data', (part) => { text += part; });
            res.on('close', () => {
                if (text !== 'served')
                    this.lost.push(`incomplete: ${text}`);
                resolve(res.headers.connection === 'close');
            });
        }).on('error', (error) => {
            this.lost.push(error.code);
            resolve(true);
        }));
    }

    async #run() {
        for (let agent = this.#agent(); !this.#isOver; this.done++)
            if (await this.#ask(agent)) {
                this.closed++;
                agent.destroy();
                agent = this.#agent();
            }
    }

    async more() {
        for (const from = this.done; this.done < from + BETWEEN;)
            await new Promise((resolve) => setTimeout(resolve, 1));
    }

    async end() {
        this.#isOver = true;
        await Promise.all(this.#clients);
    }
}

async function restart(isKept, replace) {
    const all = [];
    for (let i = 0; i < WORKERS; i++)
        all.push(await start());
    const load = new Load(all[0].port, isKept), codes = [];
    for (const { worker } of all) {
        await load.more();
        await start();
        const exited = once(worker, 'exit');
        replace(worker);
        codes.push((await exited).join());
    }
    await load.more();
    await load.end();
    console.log('lost', load.lost, 'exits', codes.join(' '), load.closed > 0);
    await new Promise((resolve) => cluster.disconnect(resolve));
}

(async () => {
    if (cluster.isWorker) {
        const server = http.createServer((req, res) => setImmediate(() => res.end('served'))).listen(0);
        process.on('SIGTERM', () => server.close(() => process.disconnect()));
        return;
    }
    await restart(true, (worker) => worker.disconnect());
    await restart(false, (worker) => worker.disconnect());
    await restart(false, (worker) => {
        worker.exitedAfterDisconnect = true;
        worker.process.kill('SIGTERM');
    });
})();
