// AbortSignal.any, also of signals that any() has made.
// virtual clock
'use strict';

const controller = new AbortController();
const first = AbortSignal.any([controller.signal]);
const second = AbortSignal.any([first]);
const third = AbortSignal.any([second, first, controller.signal]);
const all = { controller: controller.signal, first, second, third };
for (const [name, signal] of Object.entries(all))
    signal.onabort = (event) => console.log(name, event.isTrusted,
        Object.values(all).map((one) => one.aborted),
        signal.reason === controller.signal.reason);
controller.abort();
console.log(third.reason.name, AbortSignal.any([third]).aborted);
controller.abort('again');

console.log(AbortSignal.any([AbortSignal.any([])]).aborted);
console.log(AbortSignal.any([new AbortController().signal,
    AbortSignal.any([AbortSignal.abort('early')])]).reason);

const late = new AbortController(), dependant = AbortSignal.any([late.signal]);
dependant.onabort = () => console.log('during', AbortSignal.any([dependant]).reason);
late.abort('reason');

const two = [new AbortController(), new AbortController()];
const either = AbortSignal.any(two.map((one) => AbortSignal.any([one.signal])));
const nested = AbortSignal.any([either]);
nested.addEventListener('abort', () => console.log('nested', nested.reason));
two[1].abort('second');
two[0].abort('first');
console.log(either.reason);

const timeout = AbortSignal.any([AbortSignal.any([AbortSignal.timeout(1)])]);
const waiting = setTimeout(() => console.log('never'), 100000);
timeout.onabort = () => {
    console.log(timeout.reason.name);
    clearTimeout(waiting);
};

// A signal with a listener is aborted, even if nothing else refers to it.
const lasting = new AbortController();
for (let i = 0; i < 40; i++)
    AbortSignal.any([lasting.signal, lasting.signal]);
AbortSignal.any([lasting.signal]).addEventListener('abort', ({ target }) =>
    console.log('alone', target.reason));
AbortSignal.any([AbortSignal.any([lasting.signal])]).onabort = () => console.log('handler');
lasting.abort('end');
