import './parent.mjs';
export const grand = 1;
console.log('grand');
