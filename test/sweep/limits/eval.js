// Much code, compiled and kept.
const kept = [];
for (let i = 0; i < 60; i++) {
    kept.push(eval(`(function f${i}(a, b = ${i}) { ${'let { x, ...y } = { x: [a, b] }; '.repeat(1)} switch (a) { case ${i}: return () => x; default: for (const z of x) y[z] = a; } return ${'a+'.repeat(200)}b })`));
    kept.push(new Function('a', `return ${'a*'.repeat(100)}a`), new RegExp(`(a|b${i}){1,5}[c-f]*`));
}
eval('1+'.repeat(3000) + '1');
console.log(kept.length, 'done');
