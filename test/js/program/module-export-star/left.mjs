import { value, other } from './base.mjs';
import * as namespace from './base.mjs';
export { value, other as renamed, namespace };
export const distinct = 'left';
