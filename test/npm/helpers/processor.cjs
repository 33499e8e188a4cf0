'use strict';
const { isMainThread } = require('node:worker_threads');

module.exports = async (job) => {
    await job.updateProgress({ thread: !isMainThread });
    if (job.data.numbers === undefined)
        throw new Error('nothing to add');
    return job.data.numbers.reduce((sum, number) => sum + number);
};
