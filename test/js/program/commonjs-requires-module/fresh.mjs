export { default } from './shared.mjs';
export const fresh = true;
