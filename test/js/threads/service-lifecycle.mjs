// weir only
// INIT, RUNNING, DRAINING, CLOSED: each once, and only when it is true.
import { Service } from 'weir:service';
import { createRequire } from 'node:module';

console.log(createRequire(import.meta.url)('weir:service').Service === Service);

const service = new Service({ name: 'shop' });
console.log(service.name, service.state, service.inflight, String(service));
console.log('before the start:', service.tryEnter());
console.log(service.start(), service.start(), service.state);

// As the seed has it, and by tickets.
console.log(Boolean(service.tryEnter()), service.inflight);
service.exit();
{
    using ticket = service.tryEnter('using');
    console.log(ticket.name, service.inflight);
}
console.log(service.inflight);
const ticket = service.tryEnter('first'), second = service.tryEnter('second');
console.log(ticket.exit(), ticket.exit(), service.inflight);
service.exit(second);

// run: the outcome of the function, and out again whatever happens.
console.log(await service.run(async () => service.inflight));
await service.run(() => { throw new RangeError('no'); })
    .catch((error) => console.log(error.name, service.inflight));

// The drain waits for what is inside, and admits nothing more.
let closings = 0;
service.closed.then(() => console.log('closed', ++closings, service.state));
const work = service.run(function slow() {
    return new Promise((resolve) => setTimeout(resolve, 30, 'slow is done'));
});
const drained = service.drain();
console.log(service.state, service.inflight, service.tryEnter());
await service.run(() => {}).catch(({ code, message }) => console.log(code, message));
console.log(await work);
console.log(await drained);
console.log(await service.drain(), service.start(), service.tryEnter());
await service.closed;

// With nobody inside it closes at once.
const empty = new Service();
console.log(await empty.drain().catch(({ code }) => code), empty.state);
empty.start();
const report = empty.drain();
console.log(empty.state);
await report;

// await using drains.
let used;
{
    await using shop = new Service();
    used = shop;
    shop.start();
    const inside = shop.tryEnter();
    setTimeout(() => inside.exit(), 10);
}
console.log(used.state);
{
    await using never = new Service();
    used = never;
}
console.log(used.state);
