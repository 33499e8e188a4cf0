import './cycle-b.mjs';
import './cycle-a.mjs';
export const below = 1;
console.log('below cycle');
