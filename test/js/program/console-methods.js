// console, except for what goes to stderr.
console.log(); console.log(''); console.log('a', 1, { b: 2 });
console.info('info'); console.debug('debug');
console.group('group'); console.log('inside\nlines'); console.group(); console.log({ a: 1, b: { c: 2 } });
console.groupEnd(); console.groupEnd(); console.groupEnd(); console.log('outside');
console.count(); console.count(); console.count('x'); console.countReset(); console.count();
console.dir({ a: { b: { c: { d: 1 } } } }, { depth: 0 }); console.dirxml([1], 2);
console.assert(true, 'never');
console.table([{ a: 1, b: 'x' }, { a: 2, c: true }]);
console.table([[1, 2], [3, 4]]); console.table([1, 'two', { three: 3 }]);
console.table(new Map([['k', 1]])); console.table(new Set([1])); console.table(5); console.table([]);
console.table([{ a: 1, b: 2 }], ['b']);
console.table({ r1: { x: 1 }, r2: { x: [1, 2], y: { z: 1 } } });
console.log(Object.keys(console).slice(0, 5), typeof console.time, String(console));
const { log } = console; log('detached');
console.table([1, { a: 1, b: 2 }], ['a']);
console.table([1, 2], []);
console.table([1], ['a', 'b']);
console.table(new Map([['a', 1]]), ['x']);
console.table(new Set([1, { a: 2 }]), ['a']);
for (const odd of [5, 'a', null, {}])
    for (const data of [[1], 5])
        try { console.table(data, odd); } catch ({ code, message }) { console.log(code, message); }
