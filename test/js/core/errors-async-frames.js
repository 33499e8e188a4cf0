// The async functions that wait for the one that throws are in its stack.
'use strict';

const names = (error) => error.stack.split('\n').slice(1)
    .map((line) => /^ +at (.*?) \(?[^ ]*errors-async-frames\.js:\d+:\d+\)?$/.exec(line)?.[1])
    .map((name) => name?.replace('Service.', '')) // V8 adds the class
    .filter((name) => name !== undefined);

async function inner(error = () => new Error('deep')) {
    await null;
    throw error();
}
async function middle(...args) {
    await inner(...args);
}
const outer = async (...args) => {
    await middle(...args);
};
class Service {
    async run() {
        return await outer();
    }
    static async make() {
        await new Service().run();
    }
}
async function returns() {
    return inner(); // not awaited: it is gone, but its promise follows
}
async function waits() {
    await returns();
}
async function several() {
    const promise = inner();
    await Promise.allSettled([promise, promise.then(() => {}, () => {})]);
    await promise;
}
async function chained() {
    await inner().then((value) => value);
}
async function atOnce() {
    throw new Error('before any await');
}
async function callsAtOnce() {
    await atOnce();
}

(async function main() {
    for (const fn of [inner, middle, Service.make, waits, several, chained, callsAtOnce])
        await fn().catch((error) => console.log(fn.name, names(error)));
    await middle(function made() { return new TypeError('other'); }).catch((error) => console.log(names(error)));
    Error.stackTraceLimit = 2;
    await outer().catch((error) => console.log(names(error)));
    Error.stackTraceLimit = 10;
    Error.prepareStackTrace = (error, sites) => sites.map((site) =>
        [site.getFunctionName(), site.isAsync()]);
    await outer().catch((error) => console.log(error.stack.slice(0, 3)));
})();
