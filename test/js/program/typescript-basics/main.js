// weir only
// TypeScript: imports between all kinds of files, what is erased and what is not,
// positions in stacks, workers.
process.env.WEIR_CACHE = '';
import('./start.ts').catch((error) => console.log(error.stack));
