const { basename } = require('path');
console.log(process.argv.length, basename(process.argv[1]), typeof process.argv[0]);
console.log(typeof process.pid, process.platform, process.arch, process.version.startsWith('v20'));
console.log(typeof process.versions.node, basename(process.cwd()));
process.env.WEIR_TEST = 5;
console.log(process.env.WEIR_TEST, 'WEIR_TEST' in process.env, process.env.NOT_THERE,
    Object.keys(process.env).includes('WEIR_TEST'));
delete process.env.WEIR_TEST;
console.log(process.env.WEIR_TEST, { ...process.env }.PATH === process.env.PATH);
const [s, ns] = process.hrtime();
console.log(typeof s, typeof ns, typeof process.hrtime.bigint(), process.hrtime([s, ns])[0]);
console.log(process.uptime() > 0, Object.keys(process.memoryUsage()), process.memoryUsage().rss > 1e6);
const before = process.cwd();
process.chdir('/'); console.log(process.cwd()); process.chdir(before);
try { process.chdir('/not/there'); } catch (e) { console.log(e.code); }
try { process.chdir(5); } catch (e) { console.log(e.code); }
try { process.exit('x'); } catch (e) { console.log(e.code); }
console.log(process.exitCode, String(process), Object.prototype.toString.call(process));
process.on('beforeExit', (code) => {
    console.log('beforeExit', code);
    if (!process.again)
        setTimeout(() => console.log('more'), 1);
    process.again = true;
});
process.once('exit', (code) => console.log('exit', code, process.exitCode));
process.stdout.write('written\n');
process.stdout.write(new Uint8Array([98, 121, 116, 101, 115, 10]));
process.on('warning', (w) => console.log('warning', w.name, w.message, w.code));
process.emitWarning('watch out', 'Custom', 'W001');
