// mock.fn, mock.method, mock.getter and mock.setter
// stderr: in the test, then 8
// test report
'use strict';

const { mock, test } = require('node:test');

const show = (call) => console.log(call.arguments, call.result, call.error?.message,
    call.target === undefined, Object.keys(call).join(), call.stack instanceof Error);
const attempt = (fn) => {
    try {
        console.log('returned', fn());
    } catch (error) {
        console.log(error.name, error.code, error.message);
    }
};

const add = mock.fn((a, b) => a + b);
console.log(add(1, 2), add.call({ x: 1 }, 3, 4), add.mock.callCount(), add.length);
add.mock.calls.forEach(show);
console.log(add.mock.calls[1].this, add.mock.calls === add.mock.calls);

const none = mock.fn();
console.log(none(), none.name, new none());

const twice = mock.fn(() => 'original', () => 'mocked', { times: 2 });
console.log(twice(), twice(), twice());
twice.mock.mockImplementation(() => 'new');
twice.mock.mockImplementationOnce(() => 'once');
twice.mock.mockImplementationOnce(() => 'later', twice.mock.callCount() + 2);
console.log(twice(), twice(), twice(), twice());
twice.mock.resetCalls();
console.log(twice.mock.callCount());
twice.mock.restore();
console.log(twice());

const thrower = mock.fn(() => { throw new TypeError('bad'); });
attempt(thrower);
thrower.mock.calls.forEach(show);

const object = {
    value: 5,
    method(n) { return this.value + n; },
    get property() { return this.value; },
    set property(value) { this.value = value; },
};
const spy = mock.method(object, 'method');
console.log(object.method(1), object.method.mock === spy.mock,
    spy.mock.calls[0].this === object);
spy.mock.restore();
mock.method(object, 'method', () => 'mocked');
console.log(object.method(1), Object.getOwnPropertyDescriptor(object, 'method').enumerable);
const getter = mock.getter(object, 'property', () => 42);
console.log(object.property, getter.mock.callCount());
getter.mock.restore();
const setter = mock.setter(object, 'property', function (value) { this.value = value * 2; });
object.property = 4;
console.log(object.value, setter.mock.calls[0].arguments);
mock.restoreAll();
object.property = 7;
console.log(object.method(1), object.property);

class Base {
    static make() { return 'made'; }
    name() { return 'base'; }
}
class Derived extends Base {}
mock.method(Base, 'make', () => 'mocked');
mock.method(Derived.prototype, 'name', () => 'derived');
console.log(Base.make(), new Derived().name(), new Base().name());
mock.reset();
console.log(Base.make(), new Derived().name());

const Mocked = mock.fn(class Point { constructor(x) { this.x = x; } });
const point = new Mocked(3);
console.log(point.x, Mocked.mock.calls[0].result === point,
    Mocked.mock.calls[0].this === point, Mocked.mock.calls[0].arguments);

for (const fn of [() => mock.fn(1), () => mock.fn(() => {}, 2),
    () => mock.fn(() => {}, () => {}, { times: 0 }),
    () => mock.fn(() => {}, () => {}, { times: 'x' }),
    () => mock.method(null, 'x'), () => mock.method({}, 'x'), () => mock.method({ x: 1 }, 'x'),
    () => mock.method({ x() {} }, 3),
    () => mock.method(object, 'method', { getter: true, setter: true }),
    () => mock.getter(object, 'property', { getter: false }),
    () => mock.setter(object, 'property', { setter: false }),
    () => twice.mock.mockImplementation(1),
    () => twice.mock.mockImplementationOnce(() => {}, -1),
    () => twice.mock.mockImplementationOnce(() => {}, 'a')])
    attempt(fn);

// The mocks of a test end with it.
let inTest;
test('t.mock', (t) => {
    t.mock.method(object, 'method', () => 'in the test');
    inTest = object.method();
}).then(() => process.stderr.write(`${inTest}, then ${object.method(1)}\n`));
