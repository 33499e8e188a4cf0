// weir only
// `await using` closes a file; Node 20 has the method, but not the syntax.
import { open } from 'node:fs/promises';
let kept;
try {
    await using file = await open('fs-dispose.mjs');
    kept = file;
    console.log(file.fd >= 0);
    throw new Error('out of it');
} catch (error) {
    console.log(error.message, kept.fd);
}
