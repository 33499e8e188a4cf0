// require() of ES modules: what it gives, what it shares with import, and what
// it refuses.
function show(name) {
    try {
        const value = require(name);
        console.log(name, value, value === require(name));
    } catch (error) {
        console.log(name, error.name, error.code, error.message.split('\n')[0].slice(0, 18));
    }
}

for (const name of ['./plain.mjs', './plain.mjs', './default.mjs', './marked.mjs',
    './named.mjs', './throws.mjs', './throws.mjs', './waits.mjs', './imports-waits.mjs',
    './lacks.mjs', './lacks.mjs', './typed', './imports-commonjs.mjs'])
    show(name);

const both = require('./default.mjs');
console.log(Object.getOwnPropertyNames(both), both[Symbol.toStringTag],
    Object.isExtensible(both), require('./typed').count());
console.log(require('./typed').value, require.cache[require.resolve('./plain.mjs')].loaded);

(async () => {
    console.log(await import('./plain.mjs') === require('./plain.mjs'));
    const named = await import('./default.mjs');
    console.log(named, named === both, named.live === both.live);
    // In a circle, begun from either side.
    await import('./circle.mjs');
    await import('./outer.mjs');
    require('./round.mjs');
    // An import of its own does not hinder what a running module's file requires.
    await import('./sibling.mjs');
})();

// One that imports a file which is not done, this one, is in a circle as well.
try {
    require('./imports-main.mjs');
} catch (error) {
    console.log(error.code);
}
