// SPDX-License-Identifier: MIT
// term -- what SIGTERM and SIGINT do to a program that serves: everything that
// takes part stops, and the program ends.  A second signal ends it at once.
//
// A participant is {signals, rank, deadline, phase(), stop()}.  phase() is
// 'running', 'draining' or 'over'.  stop() resolves to whether nothing was cut
// off, by the deadline in milliseconds.  Participants of a lower rank stop first.
//
// Signals go to the main thread.  A worker that has participants sends its
// parent one end of a channel, and the parent takes part for the worker:
//
//     worker -> parent   {signals, deadline}   of all that takes part now
//                        {isClean}             all of it has stopped
//     parent -> worker   {signal}              stop
//                        {isOver}              exit: nobody needs this thread
//
// Until the last message the worker continues to run, because what stops
// elsewhere may wait for its answers.
'use strict';

const hooks = require('core/hooks');
const thread = require('threads/thread');

const SIGNALS = ['SIGTERM', 'SIGINT'];
const GRACE_MS = 1000; // for a worker, after its own deadline
const LONGEST_MS = 2 ** 31 - 1; // of a timer

const participants = new Set();
let isStopping = false;
let parent; // in a worker with participants: a port

// In messages: 'worker 2 (name): ', or nothing in the main thread.
function threadName() {
    const name = thread.start?.name;
    return thread.isMainThread ? '' : `worker ${thread.threadId}${name ? ` (${name})` : ''}: `;
}

function ranksOf(some) {
    return [...new Set(some.map((one) => one.rank).sort())]
        .map((rank) => some.filter((one) => one.rank === rank));
}

async function stopAll(running, signal) {
    let isClean = true;
    isStopping = true;
    for (const equal of ranksOf(running))
        for (const end of await Promise.all(equal.map((one) => one.stop(signal))))
            isClean &&= end;
    return isClean;
}

// Children are not waited for: they get signals of their own, or outlive the program.
function nameChildren() {
    for (const { pid, spawnfile } of hooks.runningChildren?.() ?? [])
        require('program/process').stderr.write(
            `weir: ${threadName()}child ${pid} (${spawnfile}) is still running\n`);
}

async function exit(stopped, isClean) {
    await Promise.all(stopped.map((one) => one.exit?.()));
    nameChildren();
    require('program/process').exit(isClean ? undefined : 1);
}

// The longest time that it takes until all of them have stopped.
const timeFor = (some) => ranksOf(some).reduce((sum, equal) =>
    sum + Math.max(...equal.map((one) => one.deadline)), 0);

async function stopProgram(running, signal) {
    require('http/traced')?.flush(timeFor(running));
    exit(running, await stopAll(running, signal));
}

// If the program has its own listener, leave the decision to it.
function onSignal(signal, number) {
    const process = require('program/process');
    if (process.listeners(signal).some((listener) => listener !== onSignal))
        return;
    const mine = [...participants].filter((one) => one.signals.includes(signal));
    const running = mine.filter((one) => one.phase() === 'running');
    if (isStopping)
        process.exit(128 + number);
    else if (running.length > 0)
        stopProgram(running, signal);
    else if (mine.some((one) => one.phase() === 'draining'))
        process.exit(128 + number);
    else {
        process.off(signal, onSignal);
        process.kill(process.pid, signal);
    }
}

onSignal[require('program/signals').ender] = true;

// ---- in a worker ----

let stopped, isClean;

async function obey({ signal, isOver }) {
    if (isOver) {
        exit(stopped, isClean);
        return;
    }
    parent.ref();
    stopped = [...participants].filter((one) =>
        one.signals.includes(signal) && one.phase() !== 'over');
    isClean = await stopAll(stopped, signal);
    parent.postMessage({ isClean });
}

function tellParent() {
    const all = [...participants];
    const news = { signals: SIGNALS.filter((signal) =>
        all.some((one) => one.signals.includes(signal))),
    deadline: timeFor(all) };
    if (parent !== undefined) {
        parent.postMessage(news);
        return;
    }
    const { MessageChannel } = require('messages/messaging');
    const { port1, port2 } = new MessageChannel();
    parent = port1;
    parent.on('message', obey);
    parent.unref();
    thread.tell({ port: port2, ...news }, [port2]);
}

// ---- who takes part ----

function listen() {
    const process = require('program/process');
    for (const signal of SIGNALS) {
        const isWanted = [...participants].some((one) => one.signals.includes(signal));
        if (isWanted === process.listeners(signal).includes(onSignal))
            continue;
        if (isWanted)
            process.on(signal, onSignal);
        else
            process.off(signal, onSignal);
    }
}

function follow() {
    if (thread.isMainThread)
        listen();
    else
        tellParent();
}

function join(participant) {
    for (const one of participants)
        if (one.phase() === 'over')
            participants.delete(one);
    participants.add(participant);
    follow();
}

// The signals do what they did before.
function leave(participant) {
    if (participants.delete(participant))
        follow();
}

// ---- for a worker ----

// Take part for the worker that has sent the first news.  `terminate` ends it.
// Returns a function to call when the worker has exited, with its code.
function adopt(threadId, { port, ...first }, terminate) {
    const { setTimeout, clearTimeout } = require('timers/timers');
    const stopped = Promise.withResolvers(), exited = Promise.withResolvers();
    const late = () => {
        require('program/process').stderr.write(
            `weir: worker ${threadId} has not stopped by its deadline and is terminated\n`);
        terminate();
        stopped.resolve(false);
    };
    let phase = 'running';
    const participant = { ...first, rank: 0, phase: () => phase,
        async stop(signal) {
            phase = 'draining';
            port.postMessage({ signal });
            const timer = setTimeout(late, Math.min(this.deadline + GRACE_MS, LONGEST_MS));
            const isClean = await stopped.promise;
            clearTimeout(timer);
            return isClean;
        },
        exit() {
            port.postMessage({ isOver: true });
            setTimeout(exited.resolve, GRACE_MS);
            return exited.promise;
        } };
    port.on('message', ({ isClean, ...news }) => {
        if (isClean !== undefined)
            stopped.resolve(isClean);
        else
            follow(Object.assign(participant, news));
    });
    port.unref();
    join(participant);
    return (code) => {
        phase = 'over';
        leave(participant);
        stopped.resolve(code === 0);
        exited.resolve();
    };
}

module.exports = { join, leave, adopt, threadName };
