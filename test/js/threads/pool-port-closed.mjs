// weir only
// weir:pool: a task that closes parentPort, or gives it away, fails, and so does
// its worker; the next one does the rest.
import { Pool } from 'weir:pool';

await using pool = new Pool((how) => {
    const { parentPort, MessageChannel } = require('worker_threads');
    if (how.includes('caught'))
        process.on('unhandledRejection', () => {});
    if (how.includes('close'))
        parentPort.close();
    if (how.includes('give away')) {
        const { port1 } = new MessageChannel();
        port1.postMessage(parentPort, [parentPort]);
    }
    if (how.includes('put aside'))
        parentPort.postMessage = () => {};
    if (how.includes('throw'))
        throw new Error('thrown');
    return how;
}, { size: 1 });

const hows = ['close', 'fine', 'close and throw', 'put aside', 'give away', 'close, caught', 'fine'];
const outcomes = await Promise.allSettled(hows.map((how) => pool.run(how)));
for (const { value, reason } of outcomes)
    console.log(value ?? [reason.code, reason.message, reason.cause?.code, reason.cause?.message].join(', '));
const { completed, failed, replaced, pending } = pool.stats;
console.log({ completed, failed, replaced, pending });
