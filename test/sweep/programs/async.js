// Generators, async functions and their jobs.
function* count(n) { try { for (let i = 0; i < n; i++) { const got = yield i; if (got) return got; } } finally { yield 'end'; } }
const g = count(3); g.next(); g.next(); g.return(7); g.next(); [...count(2)];
try { const h = count(1); h.next(); h.throw(new Error('in')); } catch { }
function* delegate() { return yield* count(2); } Array.from(delegate());
async function one(v) { await null; try { return await v; } catch (e) { return e; } finally { await 1; } }
async function* stream(n) { for (let i = 0; i < n; i++) yield one(i); }
async function* both() { yield* stream(2); yield* [3, one(4)]; }
(async () => {
    for await (const v of both()) if (v === 4) break;
    const it = stream(2); await it.next(); await it.return(1);
    await Promise.all([one(1), one(Promise.reject(new Error('no')))]);
    await Promise.allSettled([one(1), Promise.reject(2)]); await Promise.any([Promise.reject(1), one(2)]);
    await Promise.race([one(1), new Promise(() => { })]);
    const { promise, resolve } = Promise.withResolvers(); resolve({ then(f) { f(1); } }); await promise;
    await Array.fromAsync(stream(2));
    throw new Error('unhandled');
})();
Promise.resolve(1).then((v) => { throw v; }).catch(() => one(2)).finally(() => { });
