// Waits for what it imports.
import promise from './waits.mjs';
export { promise };
