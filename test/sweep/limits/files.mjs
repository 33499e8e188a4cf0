// Files, read and written by the pool.
import * as fs from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
const own = import.meta.filename ?? process.argv[1];
const texts = await Promise.all(Array.from({ length: 30 }, () => readFile(own, 'utf8')));
const entries = await readdir('.', { withFileTypes: true });
for (let i = 0; i < 30; i++) texts.push(fs.readFileSync(own, 'latin1'), JSON.stringify(fs.statSync(own)));
await readFile('/nowhere').catch((error) => texts.push(error.stack));
console.log(texts.length, entries.length > 5, 'done');
