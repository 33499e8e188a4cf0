import './cycle-b.mjs';
import './waits-too.mjs';
export const a = 1;
console.log('cycle a');
