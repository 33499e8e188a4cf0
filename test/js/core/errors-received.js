// What an error says that it has received.
const { promisify } = require('util'), path = require('path');
class Foo {}
const values = [undefined, null, true, 0, -0, 1.5, NaN, -Infinity, 1e21, 123456789012345680000, 1n, -(2n ** 80n), '', 'a', 'a'.repeat(28), 'a'.repeat(29),
    "it's", "it's \"quoted\", and rather long", `${'x'.repeat(25)}'abcd`, 'a\nb', '\t\x1b\\"', '\u00e9'.repeat(40), '\ud800', Symbol(), Symbol('a name that is rather long, too'),
    {}, new Foo(), new (class extends Foo {})(), new (class {})(), Object.create(null), Object.create({}), [], new Map(), /a/, new Date(0), Promise.resolve(), new Proxy({}, {}),
    Object('s'), Object(Symbol('x')), { constructor: undefined }, { constructor: null }, { constructor: {} }, { constructor: { name: 5 } }, { constructor: { name: '' } },
    { constructor: () => {} }, Object.setPrototypeOf([], null), Object.assign(Object.create(null), { a: 1 })];
const functions = [() => {}, function named() {}, class A {}, async () => {}, new Proxy(function inner() {}, {}), Object.setPrototypeOf(() => {}, null)];
const show = (call, value) => {
    try {
        call(value);
    } catch ({ name, code, message }) {
        console.log(name, code, JSON.stringify(message));
    }
};
for (const value of values)
    show(promisify, value);
for (const value of functions)
    show(path.dirname, value);
