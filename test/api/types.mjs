// SPDX-License-Identifier: MIT
// Compares the declarations of `weir types`, which are read from stdin, with what
// the modules export: test/api/declarations.py.  Prints each difference.
import { text } from 'node:stream/consumers';

const declared = (await text(process.stdin)).replaceAll(/\/\*\*[^]*?\*\//g, '');

// The members of a class, by their names; those of an instance, and static ones.
function membersOf(body) {
    const own = new Set(), statics = new Set();
    for (const [, isStatic, name] of body.matchAll(
        /^ {8}(static )?(?:readonly |private |protected )?([\w$]+|\[Symbol\.\w+\])(?=[?:(<])/gm))
        if (name !== 'constructor')
            (isStatic ? statics : own).add(name);
    return { own, statics };
}

const nameOf = (key) => typeof key === 'symbol' ? `[${key.description}]` : key;
const namesOf = (object, left) => Reflect.ownKeys(object).map(nameOf)
    .filter((name) => !left.includes(name));

// What a constructor sets.
function fieldsOf(name, constructor) {
    switch (name) {
    case 'Job':
        return Object.keys(new constructor({}));
    case 'ClaimedJob':
        return Object.keys(new constructor({}, {}, {}));
    case 'RetryError':
        return ['delay'];
    case 'Service':
        return Object.keys(new constructor()).concat('name');
    default:
        return [];
    }
}

// Those of an EventEmitter that are declared, and what is not for programs.
const INHERITED = { Jobs: ['on', 'once', 'off'] };
const INTERNAL = ['constructor', '[Symbol.toStringTag]', '[transfer]', '[fill]', 'settled', 'hear',
    'stackOf'];

function compareClass(where, body, constructor) {
    const { own, statics } = membersOf(body);
    const name = constructor.name;
    const parent = Object.getPrototypeOf(constructor.prototype).constructor;
    const found = new Set([...namesOf(constructor.prototype, INTERNAL),
        ...fieldsOf(name, constructor), ...INHERITED[name] ?? []]);
    if (name === 'ClaimedJob')
        for (const field of fieldsOf('Job', parent))
            found.delete(field);
    if (Error.prototype.isPrototypeOf(constructor.prototype))
        found.delete('name');
    for (const one of own.difference(found))
        console.log(`${where}.${name} has no ${one}`);
    for (const one of found.difference(own))
        console.log(`${where}.${name}.${one} is not declared`);
    for (const one of statics)
        if (typeof constructor[one] !== 'function')
            console.log(`${where}.${name} has no static ${one}`);
}

let classes = 0;
const modules = [...declared.matchAll(/^declare module '(weir:\w+)' \{\n([^]*?)^\}/gm)];
for (const [, name, body] of modules) {
    const exported = await import(name);
    const values = new Map([...body.matchAll(
        /^ {4}(class|function|const) ([\w$]+)([^]*?)(?=^ {4}\w|^ {4}\/|$(?![^]))/gm)]
        .map(([, kind, value, rest]) => [value, { kind, rest }]));
    const found = new Set(Object.keys(exported));
    found.delete('default');
    for (const value of found)
        if (!values.has(value))
            console.log(`${name}: ${value} is not declared`);
    for (const [value, { kind, rest }] of values) {
        if (!found.has(value)) {
            console.log(`${name} does not export ${value}`);
        } else if (kind === 'class') {
            classes++;
            compareClass(name, rest, exported[value]);
        }
    }
}
console.log(`${modules.length} modules, ${classes} classes`);
process.exit();
