// FormData: its entries, what it refuses, and how it is shown.
'use strict';
const { log } = console;

function tries(name, fn) {
    try {
        log(name, fn());
    } catch (error) {
        log(name, error.name, error.code, error.message);
    }
}

const plain = (value) => typeof value === 'string' ? value
    : [value.constructor.name, value.name, value.type, value.size];

const form = new FormData();
log(form);
form.append('a', '1');
form.append('a', 2);
form.append('b', new Blob(['x'], { type: 't' }));
form.append('c', new Blob(['y']), 'n.txt');
form.append('d', new File(['z'], 'orig', { lastModified: 5 }), 'new');
form.append('e', new File(['z'], 'orig', { lastModified: 5 }));
form.append('\ud800', '\ud801');
for (const [name, value] of form)
    log(name, plain(value));
log([...form.keys()], [...form.values()].map(plain), form.get('a'), form.getAll('a'),
    form.get('zz'), form.getAll('zz'), form.has('a'), form.has('q'));
form.set('a', 'only');
form.set('new', 'n');
form.delete('c');
form.delete('nothing');
log([...form.keys()]);
form.forEach((value, name, object) => log(name, plain(value), object === form));
for (const name of ['append', 'delete', 'get', 'getAll', 'has', 'set', 'forEach']) {
    tries(name, () => form[name]());
    tries(name, () => form[name].call({}, 1, 2));
}
tries('append', () => form.append('a'));
tries('append', () => form.append('a', 'b', 'c'));
tries('set', () => form.set('a', 'b', 'c'));
tries('forEach', () => form.forEach(1));
tries('constructor', () => new FormData({}));
tries('constructor', () => new FormData(null));
tries('constructor', () => new FormData(undefined));
log(Object.keys(FormData.prototype).sort(), String(form), FormData.name,
    FormData.prototype.entries === FormData.prototype[Symbol.iterator]);
for (const name of Object.keys(FormData.prototype).sort())
    log(name, FormData.prototype[name].length);
const iterator = form.entries();
log(String(iterator), iterator[Symbol.iterator]() === iterator,
    Object.keys(Object.getPrototypeOf(iterator)));
tries('next', () => iterator.next.call({}));
const other = new FormData();
other.append('x', '1');
other.append('x', '2');
other.append('y', 'z');
log(other, { a: { b: other } }, { a: { b: { c: other } } });
// Entries that are added while it is iterated are visited.
const seen = [];
for (const [name] of other) {
    if (seen.length < 2)
        other.append(`more${seen.length}`, '');
    seen.push(name);
}
log(seen);
