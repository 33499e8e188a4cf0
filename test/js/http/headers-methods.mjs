// Headers: what its methods accept, return and throw.
const attempt = (fn) => {
    try {
        return fn();
    } catch (error) {
        return `${error.name}: ${error.message}`;
    }
};
const show = (...values) => console.log(...values);

const headers = new Headers({ b: '2', A: '1' });
headers.append('a', ' three\t');
headers.append('Set-Cookie', 'x=1');
headers.append('set-cookie', 'y=2');
show(headers.get('a'), headers.get('B'), headers.get('none'), headers.has('SET-COOKIE'));
show([...headers], headers.getSetCookie(), headers.get('set-cookie'));
headers.set('A', 'replaced');
headers.delete('b');
headers.delete('none');
show([...headers.keys()], [...headers.values()], [...headers.entries()].length);
headers.forEach(function (value, name, all) { show(name, value, all === headers, this.x); },
    { x: 1 });

// Latin-1, in and out.
show(new Headers({ a: 'é\xff' }).get('a'), new Headers({ a: '' }).get('a') === '');

// What the constructor takes.
show([...new Headers([['x', '1'], new Set(['y', '2'])])]);
show([...new Headers(new Map([['m', 'n']]))], [...new Headers(new Headers({ c: 'd' }))]);
show([...new Headers()], [...new Headers(undefined)], [...new Headers([])], [...new Headers({})]);
class Mine extends Headers {}
show(new Mine({ a: 'b' }) instanceof Headers, new Mine({ a: 'b' }).get('a'));

// An iterator shows the list as it is at each step.
const changing = new Headers({ b: '1', d: '1' });
const names = [];
for (const [name] of changing) {
    names.push(name);
    if (name === 'b') {
        changing.append('c', '1');
        changing.append('a', '1');
    }
}
show(names);

for (const fn of [
    () => new Headers().append('a'), () => new Headers().append('a b', 'x'),
    () => new Headers().append('a', 'x\ny'), () => new Headers().set('', 'x'),
    () => new Headers().get('a b'), () => new Headers().get(), () => new Headers().has('é'),
    () => new Headers().delete('('), () => new Headers().append('a', '€'),
    () => new Headers(null), () => new Headers(5),
    () => new Headers([['a']]), () => new Headers([['a', 'b', 'c']]), () => new Headers([1]),
    () => new Headers({ a: Symbol('x') }), () => Headers.prototype.get.call({}, 'a'),
    () => new Headers().forEach(), () => new Headers().entries().next.call({}),
    () => Response.error().headers.set('a', 'b'), () => Response.error().headers.append('a', 'b'),
    () => Response.error().headers.delete('a'),
])
    show(attempt(fn));

// Many, and long ones.
const many = new Headers();
for (let i = 0; i < 1000; i++) {
    many.append(`x-${i % 100}`, `${i}`);
    many.set('long', 'y'.repeat(i * 10));
}
show([...many].length, many.get('x-7').length, many.get('long').length);
for (let i = 0; i < 100; i++)
    many.delete(`x-${i}`);
show([...many.keys()]);

show(headers, Object.prototype.toString.call(headers), String(headers.keys()));
show(Object.keys(Headers.prototype), Headers.length, Headers.name);
