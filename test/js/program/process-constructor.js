// jest copies the object and calls the constructors along its prototypes, without new.
const EventEmitter = require('node:events');

const copy = {};
for (let proto = Object.getPrototypeOf(process); proto !== null &&
    Object.hasOwn(proto, 'constructor'); proto = Object.getPrototypeOf(proto)) {
    proto.constructor.call(copy);
    console.log(proto.constructor.name, Object.getOwnPropertyNames(proto).length > 0);
}
EventEmitter.prototype.on.call(copy, 'x', (value) => console.log('heard', value));
EventEmitter.prototype.emit.call(copy, 'x', 1);
console.log(process instanceof EventEmitter, process instanceof process.constructor,
    String(process), Object.keys(Object.getPrototypeOf(process)));
