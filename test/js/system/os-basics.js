// os: what it says is like what the system's own files say.
const os = require('node:os'), fs = require('fs');
console.log(Object.keys(os).join());
const sys = (name) => fs.readFileSync(`/proc/sys/kernel/${name}`, 'utf8').trim();
console.log(os.hostname() === sys('hostname'), os.release() === sys('osrelease'), os.type() === sys('ostype'), os.version() === sys('version'));
console.log(os.platform(), os.arch() === process.arch, os.endianness(), JSON.stringify(os.EOL), os.devNull, typeof os.machine());
console.log(os.totalmem() > os.freemem(), os.freemem() > 0, os.uptime() > 0, os.loadavg().length, os.loadavg().every((load) => load >= 0));
console.log(os.availableParallelism() >= 1, os.cpus().length >= os.availableParallelism());
console.log(Object.keys(os.cpus()[0]).join(), Object.keys(os.cpus()[0].times).join(), typeof os.cpus()[0].model, os.cpus()[0].times.user > 0);
console.log(Object.keys(os.userInfo()).join(), Object.getPrototypeOf(os.userInfo()), os.userInfo().uid === process.getuid?.() || true);
process.env.HOME = '/somewhere';
console.log(os.homedir());
for (const name of ['TMPDIR', 'TMP', 'TEMP'])
    delete process.env[name];
console.log(os.tmpdir(), `${os.tmpdir}`);
process.env.TEMP = '/c/';
console.log(os.tmpdir());
process.env.TMPDIR = '/';
console.log(os.tmpdir());
const all = os.networkInterfaces();
console.log(all.lo?.[0] ?? 'no lo', Object.values(all).flat().every((one) => one.cidr.startsWith(`${one.address}/`) && /^([0-9a-f]{2}:){5}/.test(one.mac)));
console.log(os.constants.signals, os.constants.errno, os.constants.priority, os.constants.dlopen, Object.keys(os.constants).join());
console.log(typeof os.getPriority(), os.getPriority(process.pid) === os.getPriority());
os.setPriority(os.getPriority());
for (const bad of [() => os.getPriority('x'), () => os.getPriority(1.5), () => os.setPriority(0, 20), () => os.setPriority(0, '1'), () => os.getPriority(2 ** 31)])
    try { bad(); } catch (error) { console.log(error.code, error.message); }
