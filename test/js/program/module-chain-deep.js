// weir only
// Longer chains than Node's: of files that require each other, in each thread; and one that is too
// long for a thread is an error.
const fs = require('fs');
const path = require('path');
const { Worker } = require('worker_threads');

const directory = fs.mkdtempSync(path.join(require('os').tmpdir(), 'weir-chain-'));

const COUNT = 6000;

for (let i = 0; i < COUNT; i++)
    fs.writeFileSync(path.join(directory, `${i}.js`), i < COUNT - 1
        ? `exports.depth = require('./${i + 1}.js').depth + 1;`
        : 'exports.depth = 1;');

// The file with which a chain of this length begins.
function chain(length) {
    return path.join(directory, `${COUNT - length}.js`);
}

console.log(require(chain(3000)).depth);

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
    console.log(await run(chain(300)));
    console.log(await run(chain(COUNT)));
    // The stack is as large as before.
    const dive = () => 1 + dive();
    try {
        dive();
    } catch (error) {
        console.log(error.name);
    }
    fs.rmSync(directory, { recursive: true });
})();

// long: address thread
