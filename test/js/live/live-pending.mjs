// weir only
// virtual clock
// weir:live: pending() has the armed timers and the promises that the program waits
// for, those of a line in one row.
import { pending } from 'weir:live';

const place = (row) => `${row.name} ${row.file.split('/').at(-1)}:${row.line}`;
const mine = (rows) => rows.filter(({ file }) => file.endsWith('live-pending.mjs'));
const showTimers = () => mine(pending().timers).map((row) =>
    `${place(row)} x${row.count}, ${row.repeats ? 'every' : 'after'} ${row.delay} ms, ` +
    `next in ${Math.floor(row.due)} ms${row.hasRef ? '' : ', unref'}`);
const showPromises = () => mine(pending().promises).map((row) =>
    `${place(row)} x${row.count}, ${row.awaited ? 'await' : 'then'}`);
const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

console.log(showTimers(), showPromises());

// Timers of one line are one row, unless they differ in their delay or kind.
function later() {}
const timers = Array.from({ length: 1000 }, () => setTimeout(() => {}, 5000));
timers.push(setTimeout(later, 100), setTimeout(later, 100), setTimeout(later, 300),
    setInterval(later, 100), setTimeout(later.bind(null, 1), 400));
timers.push(setTimeout(later, 100).unref());
console.log(showTimers());
timers.forEach(clearTimeout);
console.log(showTimers());

// What awaits a promise, at which line, also in a generator, and behind Promise.all.
const kept = []; // without the functions that settle them, they and what waits are freed
const never = () => new Promise((resolve) => { kept.push(resolve); });
const shared = never();
async function inner() {
    await 0;
    await shared;
}
const outer = async () => {
    await inner();
};
async function* items() {
    yield 1;
    await never();
}
async function loop() {
    for await (const item of items())
        kept.push(item);
}
async function all() {
    await Promise.all([never(), 1]);
}
class Store {
    async read() {
        return await never();
    }
}
inner();
outer();
loop();
all();
new Store().read();
for (let i = 0; i < 10_000; i++)
    (async () => { await never(); })();
never().then(later);
never().finally(later.bind(null, 1));
kept.push(new Promise(() => {})); // nothing waits for it
await sleep(1000);
console.log(showPromises().sort());

// A settled promise is not there any more, and an awaited one is as old as it is.
const old = sleep(3000);
const waiter = async () => { await old; };
const end = waiter();
await sleep(2000);
const ageOf = (line) => {
    const row = mine(pending().promises).find((one) => one.name === line);
    return row && Math.round(row.age / 100) / 10;
};
console.log(ageOf('waiter'), ageOf('outer'));
await end;
console.log(ageOf('waiter'), ageOf('outer'));

// The oldest come first, and so do the timers that are due next.
const isSorted = (list) => list.every((value, i) => i === 0 || list[i - 1] <= value);
[300, 100, 200].forEach((ms) => { setTimeout(later, ms).unref(); });
const { timers: armed, promises, otherTimers, otherPromises } = pending();
console.log(isSorted(armed.map(({ due }) => due)), isSorted(promises.map(({ age }) => -age)),
    otherTimers, otherPromises);

// There is room for some hundred places; the rest is counted.
for (let i = 0; i < 1000; i++)
    setTimeout(later, 100_000 + i).unref();
const crowd = pending();
console.log(crowd.timers.length + crowd.otherTimers, crowd.otherTimers > 0);
process.exit(0);
