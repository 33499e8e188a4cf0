#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// order -- the scenes of test/unit/promise/promise_order.c in JavaScript, and
// the order in which an engine runs them: a line "name: order" for each.
//
// clock(n) notes 1, 2, ... n, one in each round of the microtasks.
'use strict';

const scenes = {
  then_of_a_settled_promise(log, clock) {
    clock(3);
    Promise.resolve().then(() => log('a'));
  },
  reactions_in_order(log, clock) {
    let r;
    const p = new Promise(f => r = f);
    p.then(() => log('a'));
    p.then(() => log('b'));
    clock(2);
    r();
    p.then(() => log('c'));
  },
  chain(log, clock) {
    clock(4);
    Promise.resolve().then(() => log('a')).then(() => log('b'))
      .then(() => log('c'));
  },
  pass_through(log, clock) {
    clock(5);
    Promise.resolve().then(null, null).then(null, null).then(() => log('a'));
  },
  adopt_fulfilled(log, clock) {
    clock(6);
    Promise.resolve().then(() => { log('a'); return Promise.resolve(); })
      .then(() => log('b'));
  },
  adopt_rejected(log, clock) {
    clock(6);
    Promise.resolve().then(() => { log('a'); return Promise.reject(1); })
      .catch(() => log('b'));
  },
  adopt_pending(log, clock) {
    clock(7);
    let r;
    const q = new Promise(f => r = f);
    Promise.resolve().then(() => q).then(() => log('b'));
    Promise.resolve().then(() => {}).then(() => {})
      .then(() => { log('r'); r(); });
  },
  follow(log, clock) {
    clock(6);
    const q = Promise.resolve();
    new Promise(f => f(q)).then(() => log('a'));
    q.then(() => log('q'));
  },
  thenable_sync(log, clock) {
    clock(5);
    new Promise(f => f({ then(f) { log('t'); f(); } })).then(() => log('a'));
  },
  thenable_from_handler(log, clock) {
    clock(6);
    Promise.resolve().then(() => ({ then(f) { log('t'); f(); } }))
      .then(() => log('a'));
  },
  thenable_nested(log, clock) {
    clock(7);
    new Promise(f => f({ then(f) { log('t'); f({ then(g) { log('u'); g(); } }); } }))
      .then(() => log('a'));
  },
  thenable_gives_promise(log, clock) {
    clock(8);
    new Promise(f => f({ then(f) { log('t'); f(Promise.resolve()); } }))
      .then(() => log('a'));
  },
  finally_plain(log, clock) {
    clock(8);
    Promise.resolve().finally(() => log('f')).then(() => log('a'));
  },
  finally_of_rejected(log, clock) {
    clock(8);
    Promise.reject().finally(() => log('f')).catch(() => log('a'));
  },
  finally_promise(log, clock) {
    clock(8);
    Promise.resolve().finally(() => { log('f'); return Promise.resolve(); })
      .then(() => log('a'));
  },
  finally_rejected_promise(log, clock) {
    clock(8);
    Promise.resolve().finally(() => { log('f'); return Promise.reject(); })
      .catch(() => log('a'));
  },
  finally_throws(log, clock) {
    clock(6);
    Promise.resolve().finally(() => { log('f'); throw 1; })
      .catch(() => log('a'));
  },
  finally_thenable(log, clock) {
    clock(10);
    Promise.resolve().finally(() => { log('f'); return { then(f) { log('t'); f(); } }; })
      .then(() => log('a'));
  },
  all(log, clock) {
    clock(6);
    Promise.all([Promise.resolve(), Promise.resolve().then(() => log('x'))])
      .then(() => log('a'));
  },
  all_rejected(log, clock) {
    clock(6);
    Promise.all([new Promise(() => {}), Promise.reject()])
      .catch(() => log('a'));
  },
  all_of_none(log, clock) {
    clock(4);
    Promise.all([]).then(() => log('a'));
  },
  all_settled(log, clock) {
    clock(6);
    Promise.allSettled([Promise.reject(), Promise.resolve().then(() => log('x'))])
      .then(() => log('a'));
  },
  race(log, clock) {
    clock(5);
    Promise.race([Promise.resolve().then(() => log('x')), Promise.resolve()])
      .then(() => log('a'));
  },
  any(log, clock) {
    clock(5);
    Promise.any([Promise.reject(), Promise.resolve()]).then(() => log('a'));
  },
  any_rejected(log, clock) {
    clock(5);
    Promise.any([Promise.reject(), Promise.reject().catch(() => { log('x'); throw 1; })])
      .catch(() => log('a'));
  },
  any_of_none(log, clock) {
    clock(4);
    Promise.any([]).catch(() => log('a'));
  },
  ticks(log, clock) {
    process.nextTick(() => log('t'));
    clock(2);
    Promise.resolve().then(() => { log('a'); process.nextTick(() => log('u')); })
      .then(() => log('b'));
  },
};

async function main() {
  for (const [name, scene] of Object.entries(scenes)) {
    const order = [];
    const log = word => order.push(word);
    const clock = n => {
      let promise = Promise.resolve();

      for (let i = 1; i <= n; i++) promise = promise.then(() => log(i));
    };

    // In a separate callback: its ticks come before its microtasks.
    await new Promise(done => setTimeout(() => {
      scene(log, clock);
      setTimeout(done, 1);
    }, 0));
    console.log(`${name}: ${order.join(' ')}`);
  }
}

main();
