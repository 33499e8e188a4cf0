// A pool of workers.
import { Pool } from 'weir:pool';
const pool = new Pool((n) => { let sum = 0; for (let i = 0; i < n; i++) sum += JSON.stringify({ i }).length; return { sum, text: 'x'.repeat(n) }; }, { size: 2 });
const results = await Promise.all(Array.from({ length: 30 }, (_, i) => pool.run(i * 10)));
await pool.drain();
console.log(results.reduce((all, { sum }) => all + sum, 0), 'done');
