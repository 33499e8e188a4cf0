import { value } from './left.mjs';
export { value };
export { renamed } from './right.mjs';
