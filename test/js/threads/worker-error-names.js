// The name of an error of a worker, whose class its parent does not know.
const { Worker } = require('worker_threads');
const ends = async (code) => {
    const worker = new Worker(code, { eval: true });
    worker.on('error', (error) => console.log(error.constructor.name, error.name, error.message, error.code, Object.keys(error)));
    await new Promise((resolve) => worker.on('exit', resolve));
};
(async () => {
    await ends('class Own extends Error { constructor() { super("own"); this.name = "Own"; this.code = 1; } } throw new Own()');
    await ends('class Own extends TypeError { get name() { return "Got"; } } throw new Own("inherited")');
    await ends('throw new AggregateError([], "of several")');
    await ends('throw new RangeError("plain")');
})();
