// map, filter and the other operators of Readable.
import { Readable } from 'stream';
const { log } = console;
const from = (...values) => Readable.from(values);
const wait = (value) => new Promise((resolve) => setImmediate(resolve, value));

log(await from(1, 2, 3).map((x) => x * 2).toArray());
log(await from(1, 2, 3).map(async (x) => wait(x * 2), { concurrency: 2 }).toArray());
log(await from(1, 2, 3, 4).filter((x) => x % 2).toArray());
log(await from(1, 2, 3, 4).filter(async (x) => x > 2, { concurrency: 3 }).toArray());
log(await from(1, 2).flatMap((x) => [x, x]).toArray());
log(await from(1, 2, 3).take(2).toArray(), await from(1, 2, 3).drop(1).toArray(), await from(1, 2).take(0).toArray());
log(await from(1, 2, 3).take(1).map((x) => x + 1).drop(0).toArray());
log(await from(1, 2, 3).reduce((sum, x) => sum + x, 10), await from(1, 2, 3).reduce((sum, x) => sum + x));
log(await from(1, 2).some((x) => x > 1), await from(1, 2).every((x) => x > 1), await from().some(() => true), await from().every(() => false));
log(await from(1, 2, 3).find((x) => x > 1), await from(1).find((x) => x > 1));
await from(1, 2).forEach((x) => log('each', x));
log(await from('a', 'b').asIndexedPairs().toArray());
await from().reduce((a, b) => a + b).catch((error) => log(error.code, error.message));
await from(1).map(() => { throw new Error('mapped'); }).toArray().catch((error) => log(error.message));
await from(1, 2).map(async (x) => { throw new Error(`async ${x}`); }).toArray().catch((error) => log(error.message));
{
    const controller = new AbortController();
    const result = from(1, 2, 3).map(async (x, { signal }) => {
        if (x === 2)
            controller.abort();
        return x;
    }, { signal: controller.signal }).toArray();
    await result.catch((error) => log(error.name));
    await from(1).toArray({ signal: AbortSignal.abort() }).catch((error) => log(error.name, error.code));
    await from(1).forEach(() => {}, { signal: AbortSignal.abort() }).catch((error) => log(error.name, error.code));
}
{ // how many at a time
    let active = 0, most = 0;
    await from(1, 2, 3, 4, 5, 6).map(async (x) => {
        most = Math.max(most, ++active);
        await wait();
        active--;
    }, { concurrency: 3 }).toArray();
    log('most', most);
}
for (const call of [() => from(1).map(5), () => from(1).map((x) => x, 5), () => from(1).map((x) => x, { concurrency: 0 }), () => from(1).filter(), () => from(1).take(-1), () => from(1).drop(-1), () => from(1).map((x) => x, { signal: 5 })])
    try {
        call();
        log('nothing thrown');
    } catch (error) {
        log(error.name, error.code, error.message);
    }
for (const call of [() => from(1).forEach(5), () => from(1).toArray(5), () => from(1).reduce(5), () => from(1).some(5), () => from(1).find(5), () => from(1).every(5)])
    await call().then(() => log('nothing'), (error) => log(error.name, error.code, error.message));
{
    const stream = from(1, 2, 3);
    const mapped = stream.map((x) => x);
    log(mapped.constructor.name, mapped.readableObjectMode, mapped.readableHighWaterMark);
    mapped.destroy();
    await new Promise(setImmediate);
    log(stream.destroyed);
}
