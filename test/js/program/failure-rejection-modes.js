// --unhandled-rejections, each in a process of its own.
const { spawnSync } = require('node:child_process');

const programs = {
    plain: `const error = new Error('no'); error.stack = 'Error: no'; Promise.reject(error);
        setTimeout(() => console.log('went on'), 5);`,
    value: `Promise.reject({ a: { b: { c: 1 } } }); Promise.reject(Symbol('s'));
        Promise.reject('text'); setTimeout(() => console.log('went on'), 5);`,
    listener: `process.on('unhandledRejection', (reason) => console.log('heard', reason));
        Promise.reject(1); setTimeout(() => console.log('went on'), 5);`,
    uncaught: `process.on('uncaughtException', (error, origin) => console.log(
            error.message.slice(-10), origin));
        process.on('uncaughtExceptionMonitor', () => console.log('monitor'));
        Promise.reject(1); setTimeout(() => console.log('went on'), 5);`,
    late: `const promise = Promise.reject(Object.assign(new Error('no'), { stack: 'a stack' }));
        process.on('rejectionHandled', () => console.log('handled'));
        setTimeout(() => promise.catch(() => console.log('caught')), 5);`,
    worker: `const { Worker } = require('node:worker_threads');
        console.log(process.execArgv[0]);
        new Worker("Promise.reject(1); setTimeout(() => console.log('went on', " +
            "process.execArgv[0]), 5)", { eval: true })
            .on('error', ({ code }) => console.log('error', code))
            .on('exit', (code) => console.log('exit', code));`,
};
const tidy = (text) => text.replace(/\((node|weir):\d+\)/g, '(PID)').replace(/\(Use `.*\n/g, '')
    .replace(/(This error originated).*(\(rejection id: \d+\))/g, '$1 ... $2')
    .replace(/^\/?\[eval\].*\n|^ +(at|\[?code).*\n/gm, '');

for (const mode of ['throw', 'strict', 'warn', 'none', 'warn-with-error-code'])
    for (const [name, text] of Object.entries(programs)) {
        const { status, stdout, stderr } = spawnSync(process.execPath,
            [`--unhandled-rejections=${mode}`, '-e', text], { encoding: 'utf8' });
        const isFatal = status !== 0 && mode !== 'warn-with-error-code';
        console.log(`== ${mode} ${name}: ${status}\n${stdout}${isFatal ? '' : tidy(stderr)}`);
    }
const { status, stderr } = spawnSync(process.execPath, ['--unhandled-rejections=maybe', '-e', '1'],
    { encoding: 'utf8' });
console.log(status, stderr.includes('--unhandled-rejections'));
