'use strict';
// The events of each worker of a cluster, in order, with both policies; and a
// cluster of which one side is Node.
const { execFileSync } = require('child_process');
const cluster = require('cluster');
const { once } = require('events');
const net = require('net');

function watch(worker, list) {
    for (const name of ['online', 'listening', 'message', 'disconnect', 'exit'])
        worker.on(name, (...args) => list.push(`${name} ${JSON.stringify(args).replace(/"port":\d+/, '"port":0')}`));
    for (const name of ['fork', 'online', 'listening', 'message', 'disconnect', 'exit'])
        cluster.on(name, (each, ...args) => {
            if (each === worker)
                list.push(`cluster ${name} ${worker.state} ${worker.isConnected()} ${worker.isDead()} ${worker.exitedAfterDisconnect} ${args.length}`);
        });
}

async function live(how, end, isOrderly = true) {
    const worker = cluster.fork({ HOW: how }), list = [];
    watch(worker, list);
    console.log(how, worker.id, worker.state, cluster.workers[worker.id] === worker, typeof worker.process.pid);
    const exited = once(worker, 'exit'), left = once(worker, 'disconnect');
    if (end) {
        await once(worker, how === 'idle' ? 'online' : 'listening');
        end(worker);
    }
    await Promise.all([exited, left]);
    // When a process ends by itself, either may come first.
    console.log(isOrderly ? list.join('\n') : list.map((text) => text.match(/^(cluster )?\w+/)[0]).sort().join());
    console.log(Object.keys(cluster.workers));
}

async function primary() {
    console.log(cluster.isPrimary, cluster.isMaster, cluster.isWorker, cluster.worker, cluster.setupMaster === cluster.setupPrimary, cluster.schedulingPolicy, cluster.SCHED_NONE, cluster.SCHED_RR);
    cluster.on('setup', (settings) => console.log('setup', Object.keys(settings).join(), settings.args.join()));
    cluster.setupPrimary({ args: ['an argument'], execArgv: [] });
    if (process.argv[2] !== undefined)
        process.execPath = process.argv[2];
    await once(cluster, 'setup');
    cluster.removeAllListeners('setup');
    await live('idle', (worker) => worker.disconnect());
    await live('listens', (worker) => worker.disconnect());
    await live('listens', (worker) => worker.kill(), false);
    await live('listens', (worker) => worker.process.kill('SIGKILL'), false);
    await live('listens', (worker) => worker.send('leave'));
    await live('listens', (worker) => worker.send('destroy'), false);
    await live('listens', (worker) => worker.send('exit'), false);
    await live('throws', undefined, false);
    cluster.fork({ HOW: 'idle' });
    cluster.fork({ HOW: 'idle' });
    await new Promise((resolve) => cluster.disconnect(resolve));
    console.log('disconnected', Object.keys(cluster.workers));
    await new Promise((resolve) => cluster.disconnect(resolve));
}

function work() {
    const { worker } = cluster;
    if (cluster.isPrimary || cluster.isMaster || !worker || process.env.NODE_UNIQUE_ID !== undefined || !worker.isConnected() || worker.isDead() || process.argv[2] !== 'an argument')
        process.exit(9);
    process.on('message', (message) => {
        if (message === 'leave')
            worker.disconnect();
        else if (message === 'destroy')
            worker.kill();
        else
            process.exit(3);
    });
    if (process.env.HOW === 'listens')
        net.createServer().listen(0, () => process.send('listening'));
    if (process.env.HOW === 'throws') {
        console.error = () => {};
        process.on('uncaughtException', () => process.exit(7));
        throw new Error('thrown');
    }
}

if (cluster.isWorker)
    work();
else
    primary().then(() => {
        if (process.argv.length > 2)
            return;
        const run = (...args) => console.log(execFileSync(...args, { encoding: 'utf8', env: { ...process.env, NODE_CLUSTER_SCHED_POLICY: 'none' } }));
        run(process.execPath, [__filename, 'node']);
        run('node', [__filename, process.execPath]);
    });
