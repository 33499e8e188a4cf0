import named, { a } from './values.cjs';
export const sum = named.b + a;
