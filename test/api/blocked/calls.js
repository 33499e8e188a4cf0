// A loop with calls, which ends when the test has seen it.
const fs = require('fs');
function busy() {
    while (!fs.existsSync(process.argv[2])) // here
        ;
}
setImmediate(function work() { busy(); });
