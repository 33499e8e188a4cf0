import { nothing } from './count.mjs';
