import { odd } from './odd.mjs'; export function even(n) { return n === 0 || odd(n - 1); } export const value = 'even'; export { later } from './odd.mjs'; console.log('even');
