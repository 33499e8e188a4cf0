export const value = 1;
export let other = 2;
export const distinct = 3;
