// weir only: Node 20 has no ErrorEvent
// ErrorEvent (HTML Standard, 8.1.3.10 "The ErrorEvent interface").
'use strict';

const fields = ({ type, message, filename, lineno, colno, error, bubbles, cancelable }) =>
    ({ type, message, filename, lineno, colno, error, bubbles, cancelable });
console.log(fields(new ErrorEvent('error')));
console.log(fields(new ErrorEvent('error', { message: 1, filename: 'f.js', lineno: '7', colno: -1,
    error: null, cancelable: true })));
console.log(Object.keys(ErrorEvent.prototype), String(new ErrorEvent('x')), ErrorEvent.length,
    new ErrorEvent('x') instanceof Event);
for (const make of [() => new ErrorEvent(), () => new ErrorEvent('x', 5), () => ErrorEvent('x'),
    () => ErrorEvent.prototype.message, () => new ErrorEvent('x', { message: Symbol() })])
    try {
        console.log(make());
    } catch (error) {
        console.log(error.name);
    }
const socket = new WebSocket('ws://127.0.0.1:1');
socket.onerror = (event) => console.log(event instanceof ErrorEvent, event.error instanceof Error);
