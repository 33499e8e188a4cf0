// weir only
// While an ES module's own text runs, require() of another is refused, for the
// two might import each other; afterwards it is not.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const name = '../support/plain.mjs';
try {
    require(name);
} catch (error) {
    console.log(error.code);
}
await undefined;
console.log(require(name).value, require(name) === await import(name));
