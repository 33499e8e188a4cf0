// weir only: Node collects when it likes
// A signal that lives long does not keep the signals that any() has made of it,
// except those that have listeners.
'use strict';

const controller = new AbortController(), other = new AbortController();
const listener = () => {};
const make = (use) => {
    const signal = AbortSignal.any([controller.signal, other.signal]);
    use(signal);
    return new WeakRef(signal);
};
const made = {
    unused: make(() => {}),
    heard: make((signal) => signal.addEventListener('abort', listener)),
    removed: make((signal) => {
        signal.addEventListener('abort', listener);
        signal.removeEventListener('abort', listener);
    }),
};

function show(when) {
    const all = Object.entries(made).map(([name, reference]) =>
        `${name} ${reference.deref() !== undefined}`);
    console.log(when, all.join(', '));
}

setImmediate(() => {
    show('before:');
    other.abort();
    setImmediate(() => show('after:'));
});
