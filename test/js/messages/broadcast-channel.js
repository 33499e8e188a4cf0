// All of a name hear, in every thread; nobody hears himself.
const { Worker, isMainThread, BroadcastChannel: same } = require('worker_threads');

function attempt(act) {
    try {
        console.log(act());
    } catch (error) {
        console.log(error.name, error.code, error instanceof DOMException);
    }
}

if (!isMainThread) {
    const channel = new BroadcastChannel('threads');
    channel.onmessage = ({ data }) => {
        if (data.count !== undefined)
            Atomics.add(new Int32Array(data.count), 0, 1);
        if (data.end)
            channel.close();
    };
    channel.postMessage('here');
} else {
    const a = new BroadcastChannel('x'), b = new BroadcastChannel('x');
    const other = new BroadcastChannel('y');
    console.log(a, a.name, same === BroadcastChannel, a instanceof EventTarget);
    attempt(() => new BroadcastChannel());
    attempt(() => a.postMessage());
    attempt(() => a.postMessage(() => {}));
    attempt(() => a.postMessage(new MessageChannel().port1));
    attempt(() => BroadcastChannel.prototype.postMessage.call({}, 1));
    attempt(() => BroadcastChannel.prototype.close.call(a, 1));
    attempt(() => a.postMessage(1));
    console.log(a);

    const c = new BroadcastChannel('x');
    other.onmessage = () => console.log('never');
    other.unref();
    c.onmessage = () => console.log('not to itself');
    b.addEventListener('message', (event) => {
        console.log(event.data, event.target === b, event.origin, event.ports);
        if (event.data === 2) {
            b.close();
            c.close();
            threads();
        }
    });
    c.postMessage({ x: [1] });
    c.postMessage(2);
}

function threads() {
    const channel = new BroadcastChannel('threads'), workers = 4;
    const count = new SharedArrayBuffer(4);
    let here = 0, left = workers;
    channel.onmessage = () => {
        if (++here === workers)
            for (let i = 0; i < 100; i++)
                channel.postMessage({ count, end: i === 99 });
    };
    for (let i = 0; i < workers; i++)
        new Worker(__filename).on('exit', () => {
            if (--left > 0)
                return;
            console.log(new Int32Array(count)[0]);
            channel.close();
        });
}
