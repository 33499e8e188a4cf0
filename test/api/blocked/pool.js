// A task of a pool that may not block its worker for long.
const { Pool } = require('weir:pool');
const pool = new Pool((ms) => {
    for (const end = Date.now() + ms; Date.now() < end;)
        ;
    return ms;
}, { size: 1, resourceLimits: { maxBlockedMs: 2000 } });
(async () => {
    const tasks = [0, Infinity, 1].map((ms) => pool.run(ms));
    for (const { value, reason } of await Promise.allSettled(tasks))
        console.log(value ?? `${reason.code} ${reason.cause.code}`);
    console.log(pool.stats.replaced);
    await pool.drain();
})();
