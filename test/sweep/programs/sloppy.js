// What only sloppy code may do; eval in it; functions made of text.
function outer(p) {
    var v = 1; let l = 2; const c = 3;
    eval('var made = p + v + l; function inner() { return c } l = inner() + made');
    with ({ v: 10, w: 11 }) { v = w; made = () => v; }
    arguments[0] = 9;
    { function block() { return block.caller; } }
    return made() + l + p;
}
outer(1); outer.call(null, 2);
(0, eval)('var global1 = 1; let global2 = 2; class Global3 {}');
new Function('a', 'b = 2', '...c', 'return a + b + c.length + (() => arguments.length)()')(1);
new (Object.getPrototypeOf(function* () { }).constructor)('yield* [1, 2]')().next();
new (Object.getPrototypeOf(async function () { }).constructor)('await 1')();
try { eval('syntax error here'); } catch (e) { e.stack; }
try { eval('let q; let q'); } catch (e) { String(e); }
try { eval('"unterminated'); } catch (e) { e.message; }
eval('1+'.repeat(300) + '1');
eval('var many = [' + 'function () { return {a: [1, "x"]} },'.repeat(40) + ']');
for (var i in outer) ;
undeclared = 1; delete undeclared;
