// What the program hears of a block of its own loop, after it.
const fs = require('fs');
require('diagnostics_channel').subscribe('weir:blocked', (block, name) => {
    console.log(name, block.stage);
});
const alive = setInterval(() => {}, 1000);
process.on('blocked', (block) => {
    if (block.stage !== 'lasts')
        console.log(block.stage, block.cause, block.loop, block.kind,
            block.stack.includes('at block ('), block.nativeStack.includes('weir_js_run'),
            block.duration >= 50, block.callbacks);
    if (block.stage === 'ended')
        clearInterval(alive);
});
setTimeout(function block() {
    while (!fs.existsSync(process.argv[2])) // here
        ;
}, 1);
