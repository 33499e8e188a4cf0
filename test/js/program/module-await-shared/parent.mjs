import './waits.mjs';
export const parent = 1;
console.log('parent');
