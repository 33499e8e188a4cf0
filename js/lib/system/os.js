// SPDX-License-Identifier: MIT
// os -- the machine and its user.
'use strict';

const { invalidArgType, outOfRange, systemError } = require('core/errors');
const process = require('program/process');

// The content of a kernel file; '' if it cannot be read.
function kernel(name) {
    try {
        return require('fs/fs').readFileSync(name, 'utf8');
    } catch {
        return '';
    }
}

// From /proc/meminfo, in bytes.
function memory(name) {
    return 1024 * (new RegExp(`^${name}: *(\\d+)`, 'm').exec(kernel('/proc/meminfo'))?.[1] ?? 0);
}

function cpus() {
    const info = kernel('/proc/cpuinfo').split('\n\n');
    const model = (id) => /^model name\s*: (.*)$/m.exec(
        info.find((part) => new RegExp(`^processor\\s*: ${id}$`, 'm').test(part)) ?? '')?.[1];
    const lines = kernel('/proc/stat').matchAll(/^cpu(\d+) (\d+) (\d+) (\d+) (\d+) \d+ (\d+)/gm);
    return [...lines].map(([, id, ...ticks]) => {
        const [user, nice, sys, idle, irq] = ticks.map((count) => count * 10); // ms
        const speed = kernel(`/sys/devices/system/cpu/cpu${id}/cpufreq/scaling_cur_freq`);
        return { model: model(id) ?? 'unknown', speed: Math.trunc(speed / 1000),
            times: { user, nice, sys, idle, irq } };
    });
}

function networkInterfaces() {
    const result = {};
    for (const [name, address, netmask, family, mac, internal, bits, scopeid]
        of native.interfaces())
        (result[name] ??= []).push({ address, netmask, family, mac, internal,
            cidr: `${address}/${bits}`, ...(scopeid === undefined ? {} : { scopeid }) });
    return result;
}

function userInfo(options) {
    const info = native.user();
    if (options?.encoding === 'buffer')
        for (const key of ['username', 'homedir', 'shell'])
            info[key] = require('bytes/bytes').toBuffer(
                Uint8Array.from(unescape(encodeURIComponent(info[key])),
                    (letter) => letter.charCodeAt(0)).buffer);
    return info;
}

function checkPid(pid) {
    if (typeof pid !== 'number')
        throw invalidArgType('pid', 'of type number', pid);
    if (!Number.isInteger(pid))
        throw outOfRange('pid', 'an integer', pid);
    if (pid !== (pid | 0))
        throw outOfRange('pid', '>= -2147483648 && <= 2147483647', pid);
}

// Node wraps the errors of the system here.
function wrapped(run) {
    try {
        return run();
    } catch (error) {
        const { errno, code, syscall } = error;
        if (code === 'ERR_ACCESS_DENIED')
            throw error;
        throw systemError('ERR_SYSTEM_ERROR', 'A system error occurred', { errno, code,
            message: error.message.slice(code.length + 2, -(syscall.length + 2)), syscall });
    }
}

function getPriority(pid = 0) {
    checkPid(pid);
    return wrapped(() => native.getPriority(pid));
}

function setPriority(pid, priority) {
    if (priority === undefined)
        [pid, priority] = [0, pid];
    checkPid(pid);
    if (typeof priority !== 'number')
        throw invalidArgType('priority', 'of type number', priority);
    if (!Number.isInteger(priority))
        throw outOfRange('priority', 'an integer', priority);
    if (priority < -20 || priority > 19)
        throw outOfRange('priority', '>= -20 && <= 19', priority);
    wrapped(() => native.setPriority(pid, priority));
}

function tmpdir() {
    const { env } = process;
    const path = env.TMPDIR || env.TMP || env.TEMP || '/tmp';
    return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

const arch = () => process.arch;
const platform = () => process.platform;
const endianness = () => new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 'LE' : 'BE';
const type = () => native.uname()[0];
const hostname = () => native.uname()[1];
const release = () => native.uname()[2];
const version = () => native.uname()[3];
const machine = () => native.uname()[4];
const homedir = () => process.env.HOME ?? native.user().homedir;
const availableParallelism = () => native.cores();
const freemem = () => memory('MemAvailable');
const totalmem = () => memory('MemTotal');
const uptime = () => Number.parseFloat(kernel('/proc/uptime'));
const loadavg = () => native.loadavg();

// As in Node, `${os.hostname}` is what the function returns.
for (const fn of [arch, availableParallelism, endianness, freemem, homedir, hostname,
    platform, release, tmpdir, totalmem, type, uptime, version, machine])
    fn[Symbol.toPrimitive] = () => fn();

const constants = { __proto__: null, UV_UDP_REUSEADDR: 4,
    dlopen: native.dlopen, errno: native.errno, signals: Object.freeze(native.signals),
    priority: { __proto__: null, PRIORITY_LOW: 19, PRIORITY_BELOW_NORMAL: 10,
        PRIORITY_NORMAL: 0, PRIORITY_ABOVE_NORMAL: -7, PRIORITY_HIGH: -14,
        PRIORITY_HIGHEST: -20 } };

module.exports = { arch, availableParallelism, cpus, endianness, freemem, getPriority,
    homedir, hostname, loadavg, networkInterfaces, platform, release, setPriority, tmpdir,
    totalmem, type, userInfo, uptime, version, machine };
for (const [key, value] of Object.entries({ constants, EOL: '\n', devNull: '/dev/null' }))
    Object.defineProperty(module.exports, key, { value, enumerable: true,
        configurable: key !== 'constants' });
