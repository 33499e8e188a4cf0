// SPDX-License-Identifier: MIT
// top -- `weir top PID`: what a program does, on a terminal.
'use strict';

const process = require('program/process');
const { ask, attach, readText } = require('live/attach');
const { cut, linesOf, ORDERS } = require('live/screen');
const { setTimeout } = require('timers/timers');

const FAILED = 1, BAD_OPTION = 9;
const BETWEEN_MS = 500; // two samples, for rates
const KEYS = 'q quit   p pause   s sort   b blocks   c connections   m overview';

const ui = { view: 'main', order: ORDERS[0], isPaused: false };
const blocks = new Map(); // by id
let latest;

function exitWithError(message, code) {
    process.stderr.write(`weir top: ${message}\n`);
    process.exit(code);
}

// ---- once ----

async function sampleOf(socketPath) {
    return JSON.parse(await readText(await ask(socketPath, '/sample.json')));
}

async function printOnce(socketPath, isJson) {
    await sampleOf(socketPath);
    await new Promise((resolve) => { setTimeout(resolve, BETWEEN_MS); });
    const sample = await sampleOf(socketPath);
    process.stdout.write(isJson ? `${JSON.stringify(sample, null, 2)}\n`
        : `${linesOf(sample, ui).join('\n')}\n`);
}

// ---- on a terminal ----

function draw() {
    const columns = process.stdout.columns || 80, rows = process.stdout.rows || 24;
    const note = ui.isPaused ? '   PAUSED' : ui.view === 'main' ? `   by ${ui.order}` : '';
    const lines = linesOf({ ...latest, blocks: [...blocks.values()] }, ui).slice(0, rows - 1);
    while (lines.length < rows - 1)
        lines.push('');
    lines.push(KEYS + note);
    process.stdout.write(`\x1b[H${lines.map((line) =>
        `${cut(line, columns)}\x1b[K`).join('\r\n')}`);
}

function leave(code) {
    process.stdin.setRawMode(false);
    process.stdout.write('\x1b[?1049l\x1b[?25h');
    process.exit(code);
}

function press(key) {
    if (key === 'q' || key === '\x03' || key === '\x1b')
        leave(0);
    else if (key === 'p')
        ui.isPaused = !ui.isPaused;
    else if (key === 's')
        ui.order = ORDERS[(ORDERS.indexOf(ui.order) + 1) % ORDERS.length];
    else
        ui.view = { b: 'blocks', c: 'connections', m: 'main' }[key] ?? ui.view;
    if (latest)
        draw();
}

function handle(event) {
    const [, type] = /^event: (.*)$/m.exec(event), [, data] = /^data: (.*)$/m.exec(event);
    const value = JSON.parse(data);
    if (type === 'block') {
        blocks.delete(value.id);
        blocks.set(value.id, value);
        if (blocks.size > 16)
            blocks.delete(blocks.keys().next().value);
    } else if (!ui.isPaused) {
        latest = value;
        draw();
    }
}

async function follow(socketPath) {
    const response = await ask(socketPath, '/events');
    let rest = '';
    process.stdout.write('\x1b[?1049h\x1b[?25l\x1b[2J');
    process.stdin.setRawMode(true);
    process.stdin.setEncoding('utf8');
    process.stdin.on('data', (keys) => { [...keys].forEach(press); });
    process.stdout.on('resize', () => {
        process.stdout.write('\x1b[2J');
        if (latest)
            draw();
    });
    for (const name of ['SIGTERM', 'SIGHUP'])
        process.on(name, () => leave(FAILED));
    response.setEncoding('utf8');
    try {
        for await (const piece of response) {
            const events = (rest + piece).split('\n\n');
            rest = events.pop();
            events.forEach(handle);
        }
    } catch {
        // it was cut off
    }
    process.stdin.setRawMode(false);
    process.stdout.write('\x1b[?1049l\x1b[?25hthe program has ended\n');
    process.exit(0);
}

async function start() {
    const text = process.argv[1], isJson = process.execArgv.includes('--json');
    if (!/^[1-9]\d{0,9}$/.test(text))
        exitWithError(`not the number of a process: ${text}`, BAD_OPTION);
    const socketPath = await attach(Number(text));
    if (isJson || process.execArgv.includes('--once') || !process.stdout.isTTY ||
        !process.stdin.isTTY)
        await printOnce(socketPath, isJson);
    else
        await follow(socketPath);
}

module.exports = { start: () => {
    start().catch((error) => exitWithError(error.message, FAILED));
} };
