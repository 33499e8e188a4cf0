// weir only
// Longer chains than Node's: of files that require each other, in each thread; and one that is too
// long for a thread is an error.
const fs = require('fs');
const path = require('path');
const { Worker } = require('worker_threads');

const directory = fs.mkdtempSync(path.join(require('os').tmpdir(), 'weir-chain-'));

function write(name, count) {
    for (let i = 0; i < count; i++)
        fs.writeFileSync(path.join(directory, `${name}${i}.js`), i < count - 1
            ? `exports.depth = require('./${name}${i + 1}.js').depth + 1;`
            : 'exports.depth = 1;');
    return path.join(directory, `${name}0.js`);
}

console.log(require(write('a', 3000)).depth);

function run(file) {
    const worker = new Worker(`const { parentPort } = require('worker_threads');
        try {
            parentPort.postMessage(require(${JSON.stringify(file)}).depth);
        } catch (error) {
            parentPort.postMessage(error.name);
        }`, { eval: true });
    return new Promise((resolve) => { worker.on('message', resolve); });
}

(async () => {
    console.log(await run(write('b', 300)));
    console.log(await run(write('c', 9000)));
    // The stack is as large as before.
    const dive = () => 1 + dive();
    try {
        dive();
    } catch (error) {
        console.log(error.name);
    }
    fs.rmSync(directory, { recursive: true });
})();
