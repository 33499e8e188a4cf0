'use strict';
const { FlowProducer, Queue, QueueEvents, UnrecoverableError, Worker } = require('bullmq');

const connection = { host: '127.0.0.1', port: +process.env.REDIS_PORT };
const lines = []; // of each job, sorted, since their order depends on time

// Print them when the worker has ended so many attempts.
async function print(title, worker, attempts) {
    for (; worker.attempts < attempts; await new Promise(setImmediate));
    console.log(`-- ${title}\n${lines.splice(0).sort().join('\n')}`);
}

async function work(job) {
    lines.push(`${job.data.to}: attempt ${job.attemptsMade + 1} of ${job.opts.attempts ?? 1}`);
    if (job.name === 'flaky' && job.attemptsMade === 0)
        throw new Error('busy');
    if (job.name === 'broken')
        throw new UnrecoverableError('no such address');
    await job.updateProgress(50);
    await job.log('half of it');
    return { sent: job.data.to };
}

(async () => {
    const queue = new Queue('mail', { connection });
    const events = new QueueEvents('mail', { connection });
    await queue.obliterate({ force: true });
    await events.waitUntilReady();
    const heard = new Set();
    for (const name of ['added', 'active', 'progress', 'completed', 'failed', 'delayed'])
        events.on(name, ({ jobId, data, returnvalue, failedReason }) =>
            heard.add(`${name} ${jobId} ${data ?? returnvalue?.sent ?? failedReason ?? ''}`));

    // Add.
    const jobs = [await queue.add('welcome', { to: 'ann' }),
        await queue.add('flaky', { to: 'bob' },
            { attempts: 3, backoff: { type: 'fixed', delay: 20 } }),
        ...await queue.addBulk([{ name: 'welcome', data: { to: 'cat' } },
            { name: 'welcome', data: { to: 'dan' }, opts: { priority: 2 } },
            { name: 'welcome', data: { to: 'eve' }, opts: { priority: 1 } }]),
        await queue.add('broken', { to: 'fay' }, { attempts: 3 }),
        await queue.add('late', { to: 'gus' }, { delay: 60, jobId: 'the-late-one' })];
    console.log(jobs.map(({ id, name }) => `${id} ${name}`));
    console.log(await queue.getJobCounts('waiting', 'delayed', 'prioritized', 'completed'));

    // Work.
    const worker = new Worker('mail', work, { connection, autorun: false, concurrency: 2 });
    worker.on('progress', (job, progress) => lines.push(`${job.data.to}: progress ${progress}`));
    worker.attempts = 0;
    worker.on('completed', (job, { sent }) => {
        worker.attempts++;
        lines.push(`${job.data.to}: sent to ${sent}`);
    });
    worker.on('failed', (job, error) => {
        worker.attempts++;
        lines.push(`${job.data.to}: failed: ${error.message}`);
    });
    worker.run();
    console.log(await Promise.all(jobs.map((job) => job.waitUntilFinished(events)
        .catch((error) => error.message))));
    await print('worked', worker, 8);
    console.log(await queue.getJobCounts('waiting', 'delayed', 'completed', 'failed'));
    const job = await queue.getJob('1');
    console.log(await job.getState(), job.progress, job.returnvalue,
        (await queue.getJobLogs('1')).logs);
    const [failed] = await queue.getFailed();
    console.log(failed.id, failed.failedReason, failed.stacktrace.length, failed.attemptsMade);

    // Pause and resume.
    await queue.pause();
    const waiting = await queue.add('welcome', { to: 'hal' });
    console.log('paused', await queue.isPaused(), await waiting.getState());
    await queue.resume();
    console.log(await waiting.waitUntilFinished(events));
    await print('resumed', worker, 9);

    // A job that waits for others.
    const flow = new FlowProducer({ connection });
    const child = (to) => ({ name: 'child', queueName: 'mail', data: { to } });
    const tree = await flow.add({ name: 'parent', queueName: 'mail', data: { to: 'all' },
        opts: { jobId: 'parent' }, children: ['one', 'two'].map((to) => child(to)) });
    console.log(tree.children.length, await tree.job.waitUntilFinished(events));
    console.log(Object.values(await tree.job.getChildrenValues()).map(({ sent }) => sent).sort());
    await print('flowed', worker, 12);

    // Close.
    await worker.close();
    console.log(worker.isRunning(), await queue.getJobCounts());
    lines.push(...[...heard].map((line) => line.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, 'UUID')));
    await print('heard', worker, 12);
    await Promise.all([events.close(), flow.close(), queue.close()]);
    console.log('closed');
})();
