import './cycle-a.mjs';
export const b = 1;
console.log('cycle b');
