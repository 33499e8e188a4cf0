// The user and the groups of the process.
const { execFileSync } = require('node:child_process');

const { log } = console;
const ask = (...args) => +execFileSync('id', args);
const show = (run) => {
    try {
        log(run());
    } catch ({ name, code, message, errno, syscall }) {
        log(name, code, message, errno, syscall);
    }
};

log(process.getuid() === ask('-ru'), process.geteuid() === ask('-u'),
    process.getgid() === ask('-rg'), process.getegid() === ask('-g'));
log(process.getgroups().sort().join(' ') ===
    execFileSync('id', ['-G'], { encoding: 'utf8' }).trim().split(' ').map(Number).sort().join(' '));

for (const name of ['setuid', 'seteuid', 'setgid', 'setegid'])
    for (const value of [-1, 1.5, 2 ** 32, 'no-such-name', undefined, null, {}, true])
        show(() => process[name](value));
show(() => process.setgroups('x'));
show(() => process.setgroups([-1]));
show(() => process.setgroups([0, {}]));
show(() => process.initgroups());
show(() => process.initgroups('root'));
show(() => process.initgroups('root', 'no-such-group'));
show(() => process.initgroups(4294967294, 0));

// Give up everything, in a process of its own.  Only root can.
const dropped = () => execFileSync(process.execPath, ['-e', `
        const log = (...args) => console.log(...args);
        const refuse = (run) => { try { run(); } catch ({ code, message, errno, syscall }) {
            log(code, message, errno, syscall); } };
        refuse(() => process.setgroups(['no-such-group', 0]));
        process.setgroups([1, 'daemon', 2]);
        log(process.getgroups());
        process.initgroups('root', 3);
        log(process.getgroups().includes(3));
        process.setgroups([]);
        process.setegid('daemon');
        log(process.getgid(), process.getegid(), process.getgroups());
        process.setegid(0);
        process.setgid('daemon');
        process.seteuid('daemon');
        log(process.getuid(), process.geteuid());
        process.seteuid(0);
        process.setuid('daemon');
        log(process.getuid(), process.geteuid(), process.getgid(), process.getegid());
        for (const name of ['setuid', 'seteuid', 'setgid', 'setegid'])
            refuse(() => process[name](0));
        refuse(() => process.setgroups([0]));
        refuse(() => process.initgroups('root', 0));
    `], { encoding: 'utf8' });
const expected = `ERR_UNKNOWN_CREDENTIAL Group identifier does not exist: no-such-group undefined undefined
[ 1, 1, 2, 0 ]
true
0 1 [ 1 ]
0 1
1 1 1 1
EPERM EPERM, Operation not permitted 1 setuid
EPERM EPERM, Operation not permitted 1 seteuid
EPERM EPERM, Operation not permitted 1 setgid
EPERM EPERM, Operation not permitted 1 setegid
EPERM EPERM, Operation not permitted 1 setgroups
EPERM EPERM, Operation not permitted 1 initgroups
`;
log(process.getuid() === 0 ? dropped() : expected);

const { Worker } = require('node:worker_threads');
new Worker(`const { parentPort } = require('node:worker_threads');
    const lines = [process.getuid()];
    for (const name of ['initgroups', 'setegid', 'seteuid', 'setgid', 'setgroups', 'setuid'])
        try { process[name](1, 1); } catch ({ code, message }) { lines.push(code + message); }
    parentPort.postMessage(lines);`, { eval: true }).on('message', ([uid, ...lines]) => {
    log(uid === process.getuid());
    log(lines.join('\n'));
});
