// export * from modules that export the same binding again is not ambiguous.
import * as all from './all.mjs';
import { value, renamed } from './all.mjs';
console.log(all, value, renamed);
console.log(await import('./ambiguous.mjs').catch((error) => error.name));
