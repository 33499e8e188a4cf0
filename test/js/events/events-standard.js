// weir only: Node 20 lacks these members, and CloseEvent
// What the DOM, HTML and WebSockets Standards say about events.
'use strict';

// DOM 2.2: constants of the prototype, returnValue, initEvent
const event = new Event('a', { cancelable: true });
console.log(event.NONE, event.CAPTURING_PHASE, event.AT_TARGET, event.BUBBLING_PHASE);
event.returnValue = true;
console.log(event.returnValue, event.defaultPrevented);
event.returnValue = false;
console.log(event.returnValue, event.defaultPrevented);
console.log(Object.keys(Event.prototype).includes('initEvent'));

// DOM 2.4, HTML 9.1.1: the old way to initialise, which does nothing during dispatch
const { port1 } = new MessageChannel();
const target = new EventTarget();
const custom = new CustomEvent('a', { detail: 1 });
const message = new MessageEvent('a', { data: 1, origin: null, lastEventId: undefined });
console.log(custom.detail, message.data, message.origin, message.lastEventId === '');
custom.initCustomEvent('b', true, true, 2);
message.initMessageEvent('b', true, true, 2, 3, 4, port1, [port1]);
console.log(custom.type, custom.bubbles, custom.cancelable, custom.detail);
console.log(message.type, message.bubbles, message.data, message.origin, message.lastEventId,
    message.source === port1, message.ports[0] === port1, Object.isFrozen(message.ports));
target.addEventListener('b', (one) => {
    if (one === custom)
        custom.initCustomEvent('c', false, false, 3);
    else
        message.initMessageEvent('c');
});
target.dispatchEvent(custom);
target.dispatchEvent(message);
console.log(custom.type, custom.detail, message.type, message.data);
custom.initCustomEvent('d');
message.initMessageEvent('d');
console.log(custom.type, custom.bubbles, custom.detail, message.type, message.data,
    message.origin === '', message.source, message.ports);
console.log(Object.keys(port1.constructor.prototype).join());

// WebSockets 4.3: CloseEvent
const fields = ({ code, reason, wasClean, bubbles }) => [code, reason, wasClean, bubbles];
console.log(fields(new CloseEvent('close')), fields(new CloseEvent('close', null)),
    fields(new CloseEvent('close', { code: 70000, reason: 5, wasClean: 1, bubbles: true })),
    fields(new CloseEvent('close', { code: -1, reason: null })),
    fields(new CloseEvent('close', { code: 'x', reason: undefined })));
for (const make of [() => new CloseEvent(), () => new CloseEvent('x', 5), () => CloseEvent('x'),
    () => custom.initCustomEvent(), () => message.initMessageEvent(),
    () => message.initMessageEvent('x', false, false, null, '', '', {}),
    () => message.initMessageEvent('x', false, false, null, '', '', null, [5])])
    try {
        console.log(make());
    } catch (error) {
        console.log(error.name);
    }
