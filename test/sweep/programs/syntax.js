// Every form of statement and expression, compiled and run.
'use strict';
var text = '';
const { a, b: { c = 1, ...rest }, [text + 'k']: k = 2 } = { a: 1, b: { d: 4 }, k: 3 };
let [x, , y = 5, ...others] = [1, 2, undefined, 4, 5];
[x, y] = [y, x];
({ x, y, ...text } = { x: 1, y: 2, z: 3 });
function plain(p, q = p + 1, ...r) { return arguments.length + p + q + r.length; }
const arrow = (n) => n && arrow(n - 1), tagged = (s, ...v) => s.raw.join('|') + v;
label: for (let i = 0; i < 3; i++) {
    for (const key in { m: 1, n: 2 }) { if (i === 1) continue label; else text = key; }
    for (const value of [1, 2]) if (value === 2) break label;
}
do { x++; } while (x < 3);
while (y-- > 0);
switch (x) { case 1: text = 'one'; break; case 3: { let inner = 2; text = () => inner; } default: y = 1; }
try { try { throw new TypeError('thrown'); } finally { y = 2; } } catch ({ message }) { text = message; }
function finish() { for (const v of [1, 2]) try { return v; } finally { text += 'f'; } }
const object = { a, 'quoted': 1, 0x10: 2, [`computed${x}`]: 3, get g() { return 1; }, set g(v) { },
    method() { return super.toString; }, async am() { }, *gm() { yield 1; }, async *agm() { yield 1; },
    __proto__: { base: 1 }, ...{ spread: 1 } };
text = `template ${x} ${`nested ${y}`}` + tagged`raw ${x} \n ${y}`;
x = a ?? b; x ||= 1; x &&= 2; text ??= 3; x **= 2; x >>>= 1; x <<= 1n ? 1 : 2;
x = object?.method?.()?.length ?? (void 0, typeof nothing, delete object.a, 'a' in object, object instanceof Object);
x = 12345678901234567890n * 3n ** 20n - 1n / 7n; x = -x; x = x << 70n; x = x.toString(16);
x = 0x1F + 0b11 + 0o17 + 1e21 + .5 + 1_000_000;
plain(...[1, 2], 3); new plain.constructor('return 1')(); arrow(3); finish();
(function () { return new.target; })(); x = function named() { return named; }; x();
if (x) ; else { debugger; }
x = /a(?<name>b)c*?[\dx-z]{2,3}(?=d)|\u{1F600}/dgu.exec('abc11d');
