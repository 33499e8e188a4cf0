// Exports of builtins that are getters: imported by nobody, by name, later, through others, and all at once.
import process from 'node:process';
import { promises, readFileSync } from 'node:fs';
import fs from 'node:fs';
import { stderr, own } from './names.mjs';

console.log(typeof process.nextTick, stderr === process.stderr, stderr.fd, own);
console.log(promises === fs.promises, typeof readFileSync);

const late = await import('./late.mjs');
console.log(late.stdout === process.stdout, late.out === process.stdout, late.default);

const star = await import('./star.mjs');
console.log(star.stdin === process.stdin, Object.keys(star).includes('stdout'), star.mine);

const all = await import('node:process');
console.log(all.default === process, all.stdin === process.stdin, all.stdout === late.stdout, Object.keys(all).includes('stderr'));
const again = await import('node:process');
console.log(again === all, Object.getOwnPropertyDescriptor(all, 'stdin').value === process.stdin);

try {
    await import('./absent.mjs');
} catch (error) {
    console.log(error.name);
}
