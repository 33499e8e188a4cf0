// weir only
// Outside of `weir explore` the functions of weir:explore do nothing but check
// their arguments.
'use strict';
const { choose, invariant, reachable, isActive } = require('weir:explore');

console.log(isActive(), choose(1), choose(200));
console.log(reachable('here'), invariant('false', () => { throw new Error('called'); }));
for (const call of [() => choose('2'), () => choose(0), () => choose(201), () => choose(1.5),
    () => reachable(1), () => invariant('name'), () => invariant(1, () => true)]) {
    try {
        call();
        console.log('no error');
    } catch ({ code }) {
        console.log(code);
    }
}
