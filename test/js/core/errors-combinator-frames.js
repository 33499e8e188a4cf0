// The frames of Promise.all and its like, through which an async function waits.
'use strict';

async function fails() {
    await undefined;
    throw new Error('late');
}
const inner = async () => { await fails(); };
const combinators = {
    async all() { await Promise.all([undefined, inner()]); },
    async allSettled() { throw (await Promise.allSettled([1, 2, inner()]))[2].reason; },
    async any() {
        try {
            await Promise.any([inner()]);
        } catch (error) {
            throw error.errors[0];
        }
    },
    async race() { await Promise.race([inner()]); },
    async nested() { await Promise.all([Promise.all([1, inner()])]); },
    async alone() { return Promise.all([inner()]); },
    async then() { await Promise.all([inner().then(() => {})]); },
};
const names = (stack) => stack.split('\n').slice(1).map((line) => line.trim()
    .replace(/ \((?!index)[^)]*\)$/, '').replace(/^at (async )?(?:\/|file:).*$/, 'at $1FILE'));

async function main() {
    for (const [name, run] of Object.entries(combinators))
        try {
            await run();
        } catch (error) {
            console.log(name, names(error.stack));
        }
    Error.prepareStackTrace = (error, sites) => sites
        .filter((site) => site.getPromiseIndex() !== null)
        .map((site) => [String(site), site.isAsync(), site.isPromiseAll(),
            site.getPromiseIndex(), site.getFunctionName(), site.getFileName(),
            site.getLineNumber(), site.getColumnNumber(), site.isNative(), site.isToplevel(),
            site.getMethodName(), site.getTypeName()].join());
    for (const [name, run] of Object.entries(combinators))
        try {
            await run();
        } catch (error) {
            console.log(name, error.stack);
        }
}
main();
