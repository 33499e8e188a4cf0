// SPDX-License-Identifier: MIT
// CPU work in a pool of threads, as jobs: each picture is made smaller, and the
// store keeps the result for an hour.  `weir examples/jobs/thumbnails.mjs jobs.db`
import { Jobs } from 'weir:jobs';
import { Pool } from 'weir:pool';

// The mean of each square of 8 by 8 pixels.
function shrink({ data: { size, seed } }) {
    const small = size / 8;
    const picture = Array.from({ length: size * size }, (_, i) => (i * seed) % 256);
    const sums = new Array(small * small).fill(0);
    picture.forEach((pixel, i) => {
        sums[(i / size / 8 | 0) * small + (i % size / 8 | 0)] += pixel;
    });
    return sums.map((sum) => sum >> 6);
}

const jobs = new Jobs(process.argv[2] ?? 'jobs.db');
const pictures = jobs.queue('pictures', { keep: 3_600_000 });
const pool = new Pool(shrink, { size: 2 });

const added = await pictures.addAll([3, 5, 7].map((seed) => ({ size: 64, seed })));
const done = await pictures.add('all of them', { after: added });
pictures.work((job) => job.id === done.id ? undefined : pool.run({ data: job.data }),
    { concurrency: 2 });
jobs.on('completed', async (job) => {
    if (job.id !== done.id)
        return;
    for (const { id } of added)
        console.log((await jobs.get(id)).result.slice(0, 4).join(' '));
    await jobs.drain();
    await pool.drain();
});
