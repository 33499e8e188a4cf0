import { glob, globSync } from 'glob';
import { fileURLToPath } from 'node:url';

const cwd = fileURLToPath(new URL('.', import.meta.url));
console.log((await glob('support/*.cjs', { cwd })).sort());
console.log(globSync('*.mjs', { cwd, ignore: 'got*' }).sort());
console.log(await glob('{a,support}/hello.*', { cwd, dot: true }));
