// Modules in a chain, each of which needs the next: all lie on the stack at once.
const fs = require('fs');
const path = require('path');
const { Worker } = require('worker_threads');

const directory = fs.mkdtempSync(path.join(require('os').tmpdir(), 'weir-chain-'));

function write(name, count, extension, link, end) {
    for (let i = 0; i < count; i++)
        fs.writeFileSync(path.join(directory, `${name}${i}.${extension}`),
            i < count - 1 ? link(`./${name}${i + 1}.${extension}`) : end);
    return path.join(directory, `${name}0.${extension}`);
}

const imports = (next) => `import { depth as below } from '${next}'; export const depth = below + 1;`;
const requires = (next) => `exports.depth = require('${next}').depth + 1;`;

// The last one still has its own stack.
const dive = 'let depth = 0; function dive(n) { return n === 0 ? 0 : 1 + dive(n - 1); } dive(300);';

async function main() {
    const statics = write('a', 3000, 'mjs', imports, `${dive} depth = 1; export { depth };`);
    console.log((await import(statics)).depth);
    const waits = write('b', 1500, 'mjs', imports, 'await 0; export const depth = 1;');
    console.log((await import(waits)).depth);
    const fails = write('c', 1500, 'mjs', imports, 'export const depth = 1; throw new Error("the last one")');
    await import(fails).catch((error) => console.log(error.message));
    const required = write('d', 600, 'cjs', requires, `${dive} exports.depth = 1;`);
    console.log(require(required).depth);
    const broken = write('e', 600, 'cjs', requires, 'throw new Error("the last one")');
    try {
        require(broken);
    } catch (error) {
        console.log(error.message);
    }
    const inWorker = write('f', 3000, 'mjs', imports, 'export const depth = 1;');
    fs.writeFileSync(path.join(directory, 'worker.mjs'), `import { parentPort } from 'node:worker_threads';
        import { depth } from ${JSON.stringify(inWorker)}; parentPort.postMessage(depth);`);
    const worker = new Worker(path.join(directory, 'worker.mjs'));
    console.log(await new Promise((resolve) => { worker.on('message', resolve); }));
}

main().finally(() => fs.rmSync(directory, { recursive: true }));

// long: address thread
