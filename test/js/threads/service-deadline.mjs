// weir only
// A drain that is late says who is inside, and goes on.
import { Service } from 'weir:service';

const service = new Service();
service.start();
const first = service.tryEnter('upload 7'), second = service.tryEnter();
const begin = performance.now();
const late = await service.drain({ deadline: 50 });
console.log(performance.now() - begin >= 50, late.state, late.closed, late.inflight);
for (const { name, thread, age } of late.holders)
    console.log(name, thread === 0, age >= 50);
setTimeout(() => first.exit(), 10);
setTimeout(() => second.exit(), 20);
const report = await service.drain({ deadline: 60000 });
console.log(report);

// The names are those of all threads that share it.
const other = Service.from(service.handle);
console.log(other.state, other.handle === service.handle);
