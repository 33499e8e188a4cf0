import { distinct } from './all.mjs';
