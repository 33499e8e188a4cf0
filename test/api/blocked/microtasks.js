// A chain of microtasks, each of which is short.
const fs = require('fs');
async function chain() {
    while (!fs.existsSync(process.argv[2])) await null; // here
}
setTimeout(chain, 1);
