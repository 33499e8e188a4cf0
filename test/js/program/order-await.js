// How many jobs each way of waiting takes, against a clock of jobs.
const lines = [];
function clock(count) {
    let p = Promise.resolve();
    for (let i = 1; i <= count; i++)
        p = p.then(() => lines.push(`-- ${i}`));
}
clock(8);
const thenable = { then(resolve) { lines.push('then called'); resolve('t'); } };
(async () => { await 1; lines.push('await value'); })();
(async () => { await Promise.resolve(1); lines.push('await promise'); })();
(async () => { await thenable; lines.push('await thenable'); })();
(async () => { await (async () => {})(); lines.push('await async'); })();
(async () => Promise.resolve(1))().then(() => lines.push('return promise'));
(async () => thenable)().then(() => lines.push('return thenable'));
new Promise((r) => r(Promise.resolve())).then(() => lines.push('resolve(promise)'));
Promise.all([1, Promise.resolve(2)]).then(() => lines.push('all'));
Promise.race([1]).then(() => lines.push('race'));
Promise.allSettled([Promise.reject(1)]).then(() => lines.push('allSettled'));
Promise.any([Promise.reject(1), 2]).then(() => lines.push('any'));
Promise.resolve().finally(() => lines.push('finally')).then(() => lines.push('after finally'));
(async () => { for await (const x of [1, 2]) lines.push(`for await ${x}`); })();
(async function* () { yield 1; lines.push('generator'); })().next().then(() => lines.push('yielded'));
setTimeout(() => console.log(lines.join('\n')), 5);
