// weir only
// weir:jobs: the body of a loop handles jobs; a loop that is left gives its job back,
// and a drain ends it.
import { Jobs } from 'weir:jobs';
import { events, file } from '../support/jobs.mjs';

const jobs = new Jobs(file('jobs.db'));
const queue = jobs.queue('q', { keep: Infinity });
const show = async (...ids) => {
    for (const id of ids) {
        const { state, attempt, result } = await jobs.get(id);
        console.log(id, state, attempt, result);
    }
};

// Done by the next turn, settled by the body, or given back by a break.
{
    await queue.addAll(['a', 'b', 'c', 'd']);
    const done = events(jobs, 'completed');
    for await (const job of queue.claims({ prefetch: 3 })) {
        console.log(job.data, job.attempt, job.signal.aborted);
        if (job.data === 'b')
            await job.complete({ by: 'the body' });
        if (job.data === 'c')
            break;
    }
    console.log('completed', (await done)[0][0].data);
    await show(1, 2, 3, 4);
}

// A loop that throws gives its job back, too; the next one gets it.
{
    try {
        for await (const job of queue.claims())
            throw new Error(`no ${job.data}`);
    } catch (error) {
        console.log(error.message);
    }
}

// Failures, and the end by a drain.
{
    await queue.add('e', { attempts: 1 });
    const seen = [];
    let drained;
    for await (const job of queue.claims()) {
        seen.push(`${job.data} ${job.attempt}`);
        if (job.data === 'd')
            await job.fail(new Error('dead'), { final: true });
        if (job.data === 'e')
            drained = jobs.drain();
    }
    console.log(seen, await drained);
    await show(3, 4, 5);
}

// A loop whose first turn never comes claims nothing.
for (const options of [1, { concurrency: 2 }, { lease: 1 }])
    try {
        queue.claims(options);
    } catch (error) {
        console.log(error.code, error.message);
    }
try {
    for await (const job of queue.claims())
        console.log('not after a drain', job);
} catch (error) {
    console.log(error.code);
}
await jobs.close();
