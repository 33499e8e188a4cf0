// What an error has beside its text comes along, also what is not enumerable.
const { Worker } = require('worker_threads');
const ends = async (code) => {
    const worker = new Worker(code, { eval: true });
    worker.on('error', (error) => console.log(error.message, Object.keys(error),
        error.hidden, error.errors?.map((one) => one instanceof Error ? one.message : one)));
    await new Promise((resolve) => worker.on('exit', resolve));
};
(async () => {
    await ends('throw new AggregateError([new TypeError("one"), 2], "of several")');
    await ends('throw Object.defineProperty(Object.assign(new Error("own"), { code: 1 }), "hidden", { value: { deep: [1] } })');
    await ends('throw Object.defineProperty(new Error("getter"), "hidden", { get: () => "got" })');
})();
