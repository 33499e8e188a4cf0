export * from 'node:process';
export const mine = 'mine';
