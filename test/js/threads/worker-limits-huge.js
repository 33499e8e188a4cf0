// weir only
// resourceLimits that no machine has: no stack, so no thread; no limit of memory.
const { Worker } = require('worker_threads');

const dive = 'const dive = () => { dive(); }; try { dive(); } catch (error) { console.log(error.message); }';

async function run(resourceLimits) {
    try {
        const worker = new Worker(dive, { eval: true, resourceLimits });
        console.log(await new Promise((resolve) => worker.on('exit', resolve)));
    } catch (error) {
        console.log(error.code, error.message);
    }
}

(async () => {
    for (const stackSizeMb of [2 ** 40, 2 ** 44, 1e300, Infinity, NaN, -1])
        await run({ stackSizeMb });
    for (const maxOldGenerationSizeMb of [2 ** 44, 1e300, Infinity, NaN, -1])
        await run({ maxOldGenerationSizeMb });
})();
