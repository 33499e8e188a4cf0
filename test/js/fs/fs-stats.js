// Stats and BigIntStats: their fields, their order, their methods.
const fs = require('fs');
const stats = fs.statSync('fs-stats.js'), big = fs.statSync('fs-stats.js', { bigint: true });
console.log(Object.keys(stats).join(), Object.keys(big).join());
console.log(stats.constructor.name, big.constructor.name, stats instanceof fs.Stats, big instanceof fs.Stats);
for (const key of Object.keys(stats))
    console.log(key, typeof stats[key], typeof big[key], stats[key] instanceof Date ? stats[key].getTime() === Math.round(stats[`${key}Ms`]) : key.endsWith('Ms') ? Math.trunc(stats[key]) === Number(big[key]) : stats[key] === Number(big[key]));
console.log(big.mtimeNs / 1000000n === big.mtimeMs, stats.size === fs.readFileSync('fs-stats.js').length);
const methods = ['isFile', 'isDirectory', 'isSymbolicLink', 'isBlockDevice', 'isCharacterDevice', 'isFIFO', 'isSocket'];
for (const name of ['fs-stats.js', '.', '/dev/null', '/proc/self/exe'])
    console.log(name, methods.map((method) => fs.lstatSync(name)[method]()).join(), methods.map((method) => fs.lstatSync(name, { bigint: true })[method]()).join());
const dir = fs.mkdtempSync('/tmp/weir-fs-');
fs.writeFileSync(`${dir}/t`, '12345');
fs.utimesSync(`${dir}/t`, 1234567890.123, new Date(Date.UTC(2001, 1, 3, 4, 5, 6, 789)));
const t = fs.statSync(`${dir}/t`);
console.log(t.size, t.nlink, t.isFile(), t.atimeMs, t.mtimeMs, t.atime.toISOString(), t.mtime, fs.statSync(`${dir}/t`, { bigint: true }).mtimeNs);
const { dev, ino } = t;
console.log(fs.statSync(dir).dev === dev, fs.fstatSync(fs.openSync(`${dir}/t`)).ino === ino);
fs.rmSync(dir, { recursive: true });
fs.stat('.', { bigint: true }, (error, stats) => {
    console.log(error, stats.isDirectory(), typeof stats.ino);
    fs.promises.stat('.', { bigint: true }).then((stats) => console.log(stats.isDirectory()));
});
