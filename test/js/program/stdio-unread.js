// stdin | order-classic.js
// stdin that nobody reads, or is paused or destroyed, keeps nobody waiting.
process.stdin.on('end', () => console.log('never'));
console.log(process.stdin.readableFlowing);
process.stdin.pause();
process.stdin.resume();
process.stdin.pause();
process.stdin.on('close', () => console.log('close'));
setTimeout(() => { process.stdin.destroy(); console.log(process.stdin.destroyed, process.stdin.readable); }, 1);
