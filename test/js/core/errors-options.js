// Options that are an array, a function, null or no object.
const { Worker, MessageChannel } = require('worker_threads');
const timers = require('timers/promises'), util = require('util'), assert = require('assert'), fs = require('fs');
const { port1 } = new MessageChannel();
const worker = (options) => {
    const made = new Worker('', { eval: true, ...options });
    made.unref();
    return 'made';
};
const calls = {
    Event: (options) => new Event('a', options).type,
    CustomEvent: (options) => new CustomEvent('a', options).type,
    mark: (options) => performance.mark('a', options).name,
    AssertionError: (options) => new assert.AssertionError(options),
    rm: (options) => fs.rmSync('/nonexistent', options),
    format: (options) => require('path').format(options),
    inspect: (options) => { util.inspect.defaultOptions = options; },
    randomUUID: (options) => typeof require('crypto').randomUUID(options),
    argv: (argv) => worker({ argv }),
    name: (name) => worker({ name }),
    postMessage: (transfer) => { port1.postMessage(1, { transfer }); },
    structuredClone: (transfer) => structuredClone(1, { transfer }),
};
for (const [name, call] of Object.entries(calls))
    for (const odd of [[], () => {}, null, 5, '', 'text', true])
        try {
            console.log(name, call(odd));
        } catch ({ code, message }) {
            console.log(name, code, message);
        }
port1.close();
(async () => {
    for (const odd of [[], () => {}, null, 5, 'text', true]) {
        await timers.setTimeout(0, 'value', odd).then(console.log, ({ code, message }) => console.log(code, message));
        await timers.setImmediate('value', odd).then(console.log, ({ code, message }) => console.log(code, message));
    }
})();
