'use strict';
const Piscina = require('piscina');
const path = require('path');

(async () => {
    const pool = new Piscina.Piscina({ filename: path.join(__dirname, 'support/worker.cjs'), maxThreads: 2 });
    console.log(await Promise.all([1, 2, 3, 4, 5].map((n) => pool.run({ a: n, b: n }))));
    await pool.run({ fail: true }).catch((error) => console.log(error.message));
    const controller = new AbortController();
    const pending = pool.run({ forever: true }, { signal: controller.signal });
    setTimeout(() => controller.abort(), 100);
    await pending.catch((error) => console.log(error.name));
    console.log(pool.completed >= 5);
    await pool.destroy();
    console.log('destroyed');
})();
