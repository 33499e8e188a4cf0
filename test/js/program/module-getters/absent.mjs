import { nothing } from 'node:process';
console.log(nothing);
