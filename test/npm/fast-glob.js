'use strict';
const glob = require('fast-glob');

(async () => {
    const cwd = __dirname;
    console.log((await glob('support/*.cjs', { cwd })).sort());
    console.log(glob.sync(['*.mjs', '!got*'], { cwd }).sort());
    const found = [];
    for await (const entry of glob.stream('**/hello.*', { cwd, ignore: ['node_modules'] }))
        found.push(entry);
    console.log(found);
})();
