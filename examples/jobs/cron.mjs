// SPDX-License-Identifier: MIT
// A report for each day, at three o'clock in Berlin, whatever its clocks do:
// `weir examples/jobs/cron.mjs jobs.db`.  Start it on as many machines as you like:
// each run is one job.  SIGTERM ends it.
import { Jobs } from 'weir:jobs';

const jobs = new Jobs(process.argv[2] ?? 'jobs.db');
const reports = jobs.queue('reports', { attempts: 3 });

// In the store from now on: a run that nobody was there for is made up for.
await reports.schedule('daily', { cron: '0 3 * * *', zone: 'Europe/Berlin', missed: 'one',
    data: { to: 'the boss' } });
for (const { queue, name, cron, zone } of await jobs.schedules())
    console.log(`${queue}, ${name}: ${cron}, ${zone}`);

let left = Number(process.argv[3] ?? Infinity); // of runs
reports.work((job) => {
    console.log(`a report to ${job.data.to}, for ${job.runAt.toISOString()}`);
    if (--left === 0)
        jobs.drain();
});
