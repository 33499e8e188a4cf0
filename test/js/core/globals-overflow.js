// weir only: Node fails for good where its MessagePort was cut short
// What is used for the first time when the stack is full fails there, but works
// later: nothing of it was left half made.
'use strict';
const uses = {
    setTimeout: () => clearTimeout(setTimeout(() => {}, 1)),
    setImmediate: () => clearImmediate(setImmediate(() => {})),
    Event: () => new Event('x').type,
    AbortController: () => new AbortController().signal.aborted,
    TextDecoder: () => new TextDecoder().encoding,
    URL: () => new URL('http://a/b').pathname,
    Buffer: () => Buffer.from('a').toString('hex'),
    performance: () => typeof performance.now(),
    crypto: () => crypto.getRandomValues(new Uint8Array(4)).length,
    structuredClone: () => structuredClone(new Map([[1, 2]])),
    MessageChannel() {
        const { port1 } = new MessageChannel();
        port1.close();
        return port1.constructor.name;
    },
    BroadcastChannel: () => new BroadcastChannel('x').close(),
    process: () => typeof process.nextTick,
    nextTick: () => process.nextTick(() => {}),
    require: () => require('util').inspect([1]),
    fs: () => typeof require('fs').stat,
};

function overflow(use) {
    try {
        overflow(use);
    } catch {
        use();
    }
}

for (const [name, use] of Object.entries(uses)) {
    try {
        overflow(use);
    } catch (error) {
        console.log(name, error.name);
    }
    console.log(name, use());
}
