console.log('plain runs');
export const one = 1;
export function two() {}
