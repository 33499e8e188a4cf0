// A thousand timers that are due at once: congestion, and not a hang.
const fs = require('fs');
function short(end = performance.now() + 5) {
    while (performance.now() < end && !fs.existsSync(process.argv[2])) ; // here
}
for (let i = 0; i < 1000; i++)
    setTimeout(short, 1, undefined);
