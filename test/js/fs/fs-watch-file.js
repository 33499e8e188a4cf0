// fs.watchFile: changes, a file that does not exist, several listeners.
const fs = require('fs'), os = require('os'), path = require('path');

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'weir-stat-'));
const file = path.join(root, 'file');
const options = { interval: 1 };

// Missing: told once.  Then made, changed, removed.
const steps = [
    () => fs.writeFileSync(file, 'abc'),
    () => fs.appendFileSync(file, 'def'),
    () => fs.unlinkSync(file),
    () => {
        const watcher = fs.watchFile(file, options, second);
        console.log(watcher === first, watcher.listenerCount('change'));
        fs.unwatchFile(file, second);
        watcher.on('stop', () => {
            console.log('stopped');
            fs.unwatchFile(file);
            large();
        });
        fs.unwatchFile(file);
    },
];
function second() { console.log('never'); }
const first = fs.watchFile(file, options, (now, before) => {
    console.log(now.size, before.size, now.nlink, before.nlink, now.isFile(), now.mtimeMs > 0);
    steps.shift()();
});
console.log(first.constructor.name, typeof first.ref, typeof first.unref);

function large() {
    fs.watchFile(file, { interval: 1, bigint: true }, (now) => {
        console.log(now.constructor.name, now.size);
        fs.unwatchFile(file);
        fs.watchFile(file, { persistent: false }, () => {});
        fs.watchFile(file, () => {}).unref();
        fs.rmSync(root, { recursive: true });
    });
}

for (const args of [[1, () => {}], [file], [file, {}], [file, {}, 1], [file, { interval: 'x' }, () => {}]])
    try {
        fs.watchFile(...args);
    } catch (error) {
        console.log(error.name, error.code, error.message);
    }
