// weir only
// virtual clock
// weir:jobs: the report of a drain tells where the handlers are that have not
// finished.
import { Jobs } from 'weir:jobs';
import { file } from '../support/jobs.mjs';

const jobs = new Jobs(file('stack.db'));
const never = new Promise(() => {});
const keep = []; // what nobody could continue would be collected

async function send(what) {
    await new Promise((resolve) => keep.push(resolve));
    return what;
}

class Mailer {
    async deliver(to) {
        return await send(to);
    }
}

const handlers = {
    nested: async () => { await new Mailer().deliver('you'); },
    all: async () => { await Promise.all([never, send('a')]); },
    followed: async () => send('b'),
    caught: async () => {
        try {
            await send('c');
        } finally {
            console.log('not reached');
        }
    },
    plain: () => new Promise((resolve) => keep.push(resolve)),
    then: () => send('d').then((what) => what),
};

let begun = 0;
const ready = Promise.withResolvers();
for (const [name, handler] of Object.entries(handlers)) {
    const queue = jobs.queue(name);
    await queue.add(1);
    queue.work((job) => {
        if (++begun === Object.keys(handlers).length)
            ready.resolve();
        return handler(job);
    });
}
await ready.promise;
const { forced, holders } = await jobs.drain({ soft: 10, deadline: 20 });
console.log(forced);
for (const { queue, stack } of holders.sort((a, b) => a.id - b.id))
    console.log(queue, stack?.replaceAll(import.meta.url, 'this'));
await jobs.close();
