#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// run -- the Promises/A+ suite against weir's promises: run.js HOST
//
// A promise here is a number; HOST (host.c) has the promise.  This file knows
// what JavaScript adds: what a function and a thenable are, and `throw`.
// Whether, when and in which order anything is called is HOST's business.
'use strict';

const { spawn } = require('node:child_process');
const { createInterface } = require('node:readline');

const SELF = -4102; // WEIR_ESELF
const host = spawn(process.argv[2], { stdio: ['pipe', 'pipe', 'inherit'] });

const values = new Map(); // number -> value or thenable, until HOST frees it
const handlers = new Map(); // number of the derived promise -> its handlers
let nextValue = 1;
let nextPromise = 2; // even numbers; odd ones are HOST's

// ---- lines ----

let batch = '';

function send(line) {
  if (batch === '') process.nextTick(flush, 'end\n');
  batch += line + '\n';
}

function flush(end) {
  if (batch === '') return;
  host.stdin.write(batch + end);
  batch = '';
}

// The answer to a call or an ask: everything before it belongs to the handler.
function answer(line) {
  host.stdin.write(batch + line + '\n');
  batch = '';
}

function keep(value) {
  values.set(nextValue, value);
  return nextValue++;
}

// ---- promises ----

class Handle {
  constructor(number) {
    this.number = number;
  }

  then(onFulfilled, onRejected) {
    const derived = new Handle(nextPromise);
    const f = typeof onFulfilled === 'function';
    const r = typeof onRejected === 'function';

    nextPromise += 2;
    handlers.set(derived.number, { f: onFulfilled, r: onRejected });
    send(`then ${this.number} ${derived.number} ${+f} ${+r}`);
    return derived;
  }
}

// What a value is: [a word of the protocol, a number].
function classify(x) {
  let then;

  if (x instanceof Handle) return ['promise', x.number];
  if (x === null || (typeof x !== 'object' && typeof x !== 'function')) {
    return ['value', keep(x)];
  }
  try {
    then = x.then;
  } catch (error) {
    return ['error', keep(error)];
  }
  return typeof then === 'function' ? ['thenable', keep({ x, then })]
                                    : ['value', keep(x)];
}

function resolve(number, x) {
  const [kind, n] = classify(x);
  const word = { promise: 'follow', thenable: 'ask' }[kind] || kind;

  send(`${word} ${number} ${n}`);
}

function reject(number, reason) {
  send(`error ${number} ${keep(reason)}`);
}

// ---- what HOST says ----

function call(derived, which, value, code) {
  const handler = handlers.get(derived)[which];
  const argument = code === SELF ? new TypeError('follows itself')
                                 : values.get(value);

  handlers.delete(derived);
  try {
    answer('return ' + classify(handler(argument)).join(' '));
  } catch (error) {
    answer(`return error ${keep(error)}`);
  }
}

function ask(number, promise) {
  const { x, then } = values.get(number);

  values.delete(number);
  try {
    then.call(x, y => resolve(promise, y), r => reject(promise, r));
  } catch (error) {
    reject(promise, error);
  }
  answer('done');
}

let failures; // once the suite is over

// What the suite left pending is rejected in the end, when HOST's loop is shut
// down: that is no longer the suite's business.
createInterface({ input: host.stdout }).on('line', line => {
  const [word, a, b, c, d] = line.split(' ');

  if (word === 'free') values.delete(+a);
  else if (failures !== undefined) return;
  else if (word === 'call') call(+a, b, +c, +d || 0);
  else if (word === 'ask') ask(+a, +b);
});

// ---- the suite ----

const adapter = {
  deferred() {
    const promise = new Handle(nextPromise);

    nextPromise += 2;
    send(`new ${promise.number}`);
    return {
      promise,
      resolve: x => resolve(promise.number, x),
      reject: r => reject(promise.number, r),
    };
  },
};

host.on('close', (code, signal) => {
  if (failures === undefined || code !== 0) {
    console.log(`Bail out! host: ${code ?? signal}`);
    process.exit(1);
  }
  if (values.size > 0) console.log(`# ${values.size} values were not freed`);
  if (passed !== ALL) console.log(`Bail out! ${passed} of ${ALL} tests passed`);
  process.exit(failures === 0 && values.size === 0 && passed === ALL ? 0 : 1);
});

// The suite's own limit of 200 ms for each test is one of a machine that has
// nothing else to do.
const options = { reporter: 'tap', timeout: 20000 };

// Its reporter is counted: a suite that came with fewer tests would pass.
const ALL = 872;
const { log } = console;
let passed = 0;

console.log = (format, ...values) => {
  passed += /^ok\b/.test(format);
  log(format, ...values);
};

require('promises-aplus-tests')(adapter, options, error => {
  failures = error === null || error === undefined ? 0 : 1;
  host.stdin.end();
});
