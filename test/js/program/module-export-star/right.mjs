import { value as mine, other } from './base.mjs';
import * as namespace from './base.mjs';
export { mine as value, other as renamed, namespace };
export const distinct = 'right';
