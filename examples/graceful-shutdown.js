// SPDX-License-Identifier: MIT
// Accepts jobs until SIGTERM, then finishes those that have started, and exits.
//
//     build/weir examples/graceful-shutdown.js & sleep 1; kill $!
'use strict';
const { setTimeout: sleep } = require('node:timers/promises');
const { Service } = require('weir:service');

const service = new Service({ name: 'jobs', deadline: 5000 });
let begun = 0, done = 0, refused = 0;

async function job() {
    if (begun++ === 0)
        console.log(`serving, process ${process.pid}`);
    await sleep(Math.random() * 300);
    done++;
}

service.start();
setInterval(() => service.run(job).catch(() => refused++), 10);
process.on('exit', () => {
    console.log(`${service.state}: ${done} of ${begun} jobs done`);
    console.log(`${refused > 0 ? 'some' : 'none'} came too late`);
});
