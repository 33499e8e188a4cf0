// SPDX-License-Identifier: MIT
// term -- what SIGTERM and SIGINT do to a program that serves: everything that
// takes part stops, and the program ends.  A second signal ends it at once.
//
// A participant is {signals, rank, phase(), stop()}.  phase() is 'running',
// 'draining' or 'over'.  stop() resolves to whether nothing was cut off.
// Participants of a lower rank stop first.
'use strict';

const participants = new Set();
let isStopping = false;

async function stopAll(running) {
    const process = require('program/process');
    let isClean = true;
    isStopping = true;
    for (const rank of new Set(running.map((one) => one.rank).sort()))
        for (const end of await Promise.all(running.filter((one) => one.rank === rank)
            .map((one) => one.stop())))
            isClean &&= end;
    process.exit(isClean ? undefined : 1);
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
        stopAll(running);
    else if (mine.some((one) => one.phase() === 'draining'))
        process.exit(128 + number);
    else {
        process.off(signal, onSignal);
        process.kill(process.pid, signal);
    }
}

// Signals go to the main thread.
function join(participant) {
    const process = require('program/process');
    if (!require('threads/thread').isMainThread)
        return;
    for (const signal of participant.signals)
        if (!process.listeners(signal).includes(onSignal))
            process.on(signal, onSignal);
    for (const one of participants)
        if (one.phase() === 'over')
            participants.delete(one);
    participants.add(participant);
}

// The signals do what they did before.
function leave(participant) {
    const process = require('program/process');
    if (!participants.delete(participant))
        return;
    for (const signal of participant.signals)
        if (![...participants].some((one) => one.signals.includes(signal)))
            process.off(signal, onSignal);
}

module.exports = { join, leave };
