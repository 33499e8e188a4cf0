// What require and import say when there is nothing to load.
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
process.on('warning', ({ name, code, message }) => console.log(name, code, short(message)));

function short(text) {
    return String(text).replaceAll(import.meta.dirname, '').split('\n')[0];
}

function tell(error) {
    // The words about JSON are the engine's.
    console.log(`  ${error.name} ${error.code} ${short(error.message).replace(/(broken.*?)[.:] .*/, '$1')}`);
    for (const key of ['path', 'requestPath', 'url'])
        if (error[key] !== undefined)
            console.log(`  ${key} ${short(error[key])}`);
}

for (const name of ['listed', 'listed/open/a', 'listed/open/closed/a', 'listed/out',
    'listed/bare', 'listed/number', 'listed/none', 'listed/', 'nomain', 'nomain/sub', 'badmain',
    'badmain/sub.js', 'fallback', 'broken', 'broken/x.js', 'absent', './absent.js', './directory']) {
    console.log(name);
    try {
        console.log(' ', require(name));
    } catch (error) {
        tell(error);
    }
    await import(name).then((found) => console.log(' ', found.default), tell);
}
