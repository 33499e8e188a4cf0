// Promises, ticks, timers.
import { setTimeout as sleep } from 'node:timers/promises';
async function* numbers(n) { for (let i = 0; i < n; i++) { await null; yield i; } }
const waits = Array.from({ length: 200 }, async (_, i) => { let sum = 0; for await (const n of numbers(5)) sum += n + i; await sleep(1); return sum; });
const sums = await Promise.all(waits);
const settled = await Promise.allSettled(sums.map((sum) => sum % 2 ? Promise.reject(new Error(`odd ${sum}`)) : sum));
await new Promise((resolve) => process.nextTick(() => queueMicrotask(() => setImmediate(resolve))));
console.log(settled.filter((s) => s.status === 'rejected').length, 'done');
