// What the process has used, and what it may use.
const show = (run) => {
    try {
        console.log(run());
    } catch ({ name, code, message }) {
        console.log(name, code, message);
    }
};

const before = process.cpuUsage();
for (const until = Date.now() + 30; Date.now() < until;);
const used = process.cpuUsage(before), all = process.cpuUsage();
console.log(Object.keys(used), used.user + used.system > 1000,
    all.user >= before.user + used.user && all.system >= before.system + used.system);
for (const value of [1, 'x', {}, [], { user: -1, system: 0 }, { user: 0 }, { user: NaN, system: 0 },
    { user: 1, system: 'x' }, { user: 1, system: 2 ** 60 }])
    show(() => process.cpuUsage(value));
show(() => typeof process.cpuUsage(null).user);

const usage = process.resourceUsage();
console.log(Object.keys(usage).join(' '));
console.log(Object.values(usage).every((value) => Number.isSafeInteger(value) && value >= 0));
console.log(usage.userCPUTime >= all.user, usage.maxRSS * 1024 >= process.memoryUsage().rss * 0.9,
    usage.minorPageFault > 100);
const more = process.resourceUsage();
console.log(Object.keys(usage).every((key) => more[key] >= usage[key]));

const limit = process.constrainedMemory(), left = process.availableMemory();
console.log(limit > 2 ** 24, left > 2 ** 20 && left <= limit, left <= require('node:os').totalmem());

console.log(Object.keys(process.config), Object.isFrozen(process.config),
    Object.isFrozen(process.config.variables), process.config.variables.host_arch === process.arch);
show(() => { process.config = 1; });

const memory = process.memoryUsage(), buffers = [new ArrayBuffer(8e6), Buffer.alloc(4e6, 1)];
const later = process.memoryUsage();
console.log(later.arrayBuffers - memory.arrayBuffers >= 12e6,
    later.external - memory.external >= 12e6, buffers.length);
