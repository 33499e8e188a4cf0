export * from './left.mjs';
export * from './right.mjs';
export * from './indirect.mjs';
