import { even, later } from './even.mjs';
import './tla.mjs';
console.log('main', even(10), even(7), later());
