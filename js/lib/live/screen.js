// SPDX-License-Identifier: MIT
// screen -- a sample of the monitor as lines of text.
'use strict';

const ORDERS = ['total', 'longest', 'count'];

function time(ms) {
    if (ms === undefined || ms < 0)
        return '';
    if (ms < 1)
        return `${(ms * 1000).toFixed(ms < 0.01 ? 1 : 0)} µs`;
    if (ms < 1000)
        return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
    if (ms < 60_000)
        return `${(ms / 1000).toFixed(1)} s`;
    const minutes = Math.floor(ms / 60_000);
    return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

// Control characters would change the terminal: a peer chooses some names.
// eslint-disable-next-line no-control-regex
const plain = (text) => String(text).replace(/[\x00-\x1f\x7f-\x9f]/g, '?');

function cut(text, width) {
    return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}

// The innermost line of the program itself.
function placeOf({ stack, nativeStack }) {
    const own = stack.split('\n').find((line) => line && !/\((native|node:|weir:)/.test(line));
    return (own ?? nativeStack.split('\n')[0]).trim();
}

function currentOf(loop, blocks) {
    if (loop.state === 'idle')
        return '';
    const block = loop.state !== 'blocked' ? undefined
        : blocks.findLast(({ thread, stage }) => thread === loop.thread && stage !== 'ended');
    const what = block?.cause === 'congestion' ? `${block.callbacks} callbacks in one turn`
        : `${loop.kind ?? ''} ${loop.subject || loop.callback || ''}`.trim();
    if (loop.state !== 'blocked')
        return loop.for >= 1000 ? `${what} for ${time(loop.for)}` : what;
    return `blocked for ${time(loop.blocked)} by ${what} ${block ? placeOf(block) : ''}`;
}

// Columns as wide as their texts; the last one takes the rest.
function table(rows, rights) {
    const widths = rows[0].map((_, k) => Math.max(...rows.map((row) => row[k].length)));
    return rows.map((row) => row.map((text, k) => rights[k] ? text.padStart(widths[k])
        : k === row.length - 1 ? text : text.padEnd(widths[k])).join('  ').trimEnd());
}

function loopLines({ loops, blocks }) {
    const all = loops.filter(({ thread }) => thread !== 0).sort((a, b) =>
        (b.state === 'blocked') - (a.state === 'blocked') || b.busy - a.busy);
    return table([['LOOP', 'STATE', 'BUSY', 'CALLS/S', 'QUEUE P99', 'LONGEST', 'MEMORY', 'RUNS'],
        ...all.map((loop) => [plain(loop.name), loop.state, `${Math.round(loop.busy * 100)} %`,
            String(Math.round(loop.rate)), time(loop.queue?.p99), time(loop.longest),
            loop.memory ? `${Math.round(loop.memory / 1e6)} MB` : '',
            plain(currentOf(loop, blocks))])],
    [false, false, true, true, true, true, true, false]);
}

function blockLines(blocks, withStacks, last) {
    const lines = [];
    for (const block of blocks.slice(-last).reverse()) {
        lines.push(plain(`${block.loop} ${block.stage === 'ended' ? 'was' : 'is'} blocked for ` +
            `${time(block.duration)}: ${block.cause}, ${block.subject || block.kind} ` +
            `${block.name} ${placeOf(block)}`));
        if (withStacks)
            lines.push(...`${block.stack}${block.nativeStack}`.split('\n').filter(Boolean)
                .map(plain));
    }
    return lines;
}

function callbackLines(callbacks, order) {
    const sorted = callbacks.toSorted((a, b) => b[order] - a[order]);
    return table([['TOTAL', 'LONGEST', 'MEASURED', 'KIND', 'CALLBACK'],
        ...sorted.map(({ total, longest, count, kind, name }) =>
            [time(total), time(longest), String(count), kind, plain(name)])],
    [true, true, true, false, false]);
}

function holderLines(holders) {
    return table([['COUNT', 'AGE', 'LOOP', 'WHAT'], ...holders.map((holder) =>
        [String(holder.count), time(holder.age), plain(holder.loop),
            plain(`${holder.kind}${holder.running ? ', running' : ''} ${holder.name}`)])],
    [true, true, false, false]);
}

function connectionLines(connections) {
    return table([['AGE', 'STATE', 'CLIENT', 'REQUEST'], ...connections.map((row) =>
        [time(row.age), row.phase, plain(row.peer), plain(`${row.method} ${row.target}`)])],
    [true, false, false, false]);
}

function headLines(sample) {
    const isBlocked = sample.loops.some(({ state }) => state === 'blocked');
    const lines = [`${plain(sample.title) || 'weir'}  process ${sample.pid}, up ` +
        `${time(sample.uptime * 1000)}, ${Math.round(sample.cpu * 100)} % CPU, ` +
        `${Math.round(sample.memory / 1e6)} MB, ${isBlocked ? 'BLOCKED' : sample.phase}`];
    for (const { address, connections, rate, requests, draining } of sample.servers)
        lines.push(`HTTP ${plain(address)}  ${connections} connections, ` +
            `${Math.round(rate)} requests/s, ${requests} in all${draining ? ', draining' : ''}`);
    if (sample.pool)
        lines.push(`pool  ${sample.pool.workers} threads, ${sample.pool.asleep} asleep, ` +
            `${sample.pool.queued} queued, ${sample.pool.ran} jobs, ${sample.pool.stolen} stolen`);
    for (const { name, workers, queued, taken, stolen } of sample.pools ?? [])
        lines.push(`${plain(name)}  ${workers} workers, ${queued} queued, ${taken} tasks, ` +
            `${stolen} stolen`);
    return lines;
}

function allLines(sample, ui) {
    if (ui.view === 'blocks')
        return [...headLines(sample), '', ...blockLines(sample.blocks, true, 16)];
    if (ui.view === 'connections')
        return [...headLines(sample), '', ...connectionLines(sample.connections)];
    const busy = sample.connections.filter(({ phase }) => phase === 'busy').slice(0, 6);
    return [
        ...headLines(sample), '', ...loopLines(sample).slice(0, 12), '',
        ...sample.blocks.length > 0 ? [...blockLines(sample.blocks, false, 4), ''] : [],
        ...busy.length > 0 ? [...connectionLines(busy), ''] : [],
        ...sample.holders.length > 0 ? [...holderLines(sample.holders).slice(0, 9), ''] : [],
        ...callbackLines(sample.callbacks, ui.order),
    ];
}

// ui: { view: 'main' | 'blocks' | 'connections', order }.  The process may be
// another user's, and may send anything as a sample.
function linesOf(sample, ui) {
    return allLines(sample, ui).map(plain);
}

module.exports = { cut, linesOf, ORDERS };
