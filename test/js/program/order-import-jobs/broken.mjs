import { none } from './base.mjs';
