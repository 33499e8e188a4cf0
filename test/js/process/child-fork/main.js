'use strict';
// fork: messages in both directions, the end of the channel, and refusals.
const { fork, spawn } = require('child_process');
const { once } = require('events');
const path = require('path');

const file = path.join(__dirname, 'child.js');
const show = (error) => [error.name, error.code, error.message];

async function talk() {
    const child = fork(file, ['echo', 'x y'], { env: { ...process.env, A: 'a' } });
    const events = [];
    for (const name of ['spawn', 'disconnect', 'exit', 'close'])
        child.on(name, (...args) => events.push([name, ...args]));
    console.log(child.connected, typeof child.send, child.stdio, child.channel !== null, child.spawnargs.slice(-2));
    console.log('hello', (await once(child, 'message'))[0]);
    for (const message of ['text', 5, true, null, { a: [1, { b: 'é\n"' }] }, [], 'x'.repeat(300000), { cmd: 'own' }]) {
        const answer = once(child, 'message');
        console.log(child.send(message) || JSON.stringify(message).length > 1e5);
        const [[got]] = [await answer];
        console.log(JSON.stringify(got) === JSON.stringify({ echo: message }));
    }
    await new Promise((resolve) => child.send('with a callback', (error) => resolve(console.log('sent', error))));
    console.log((await once(child, 'message'))[0]);
    // Many at once, in order
    let next = 0, isOrdered = true;
    const all = new Promise((resolve) => child.on('message', ({ echo }) => {
        isOrdered &&= echo === next++;
        if (next === 2000)
            resolve();
    }));
    for (let i = 0; i < 2000; i++)
        child.send(i);
    await all;
    console.log('ordered', isOrdered);
    child.disconnect();
    console.log(child.connected, child.channel !== undefined);
    await once(child, 'exit');
    console.log(events.map((event) => event.join()).slice(0, 3), child.channel);
    child.send('late', (error) => console.log(show(error)));
    child.on('error', (error) => console.log('error', ...show(error)));
    child.disconnect();
    child.send('later');
}

async function ends() {
    for (const how of ['disconnects', 'exits', 'throws', 'silent', 'unheard']) {
        const child = fork(file, [how], { silent: true });
        let text = '';
        child.stdout.on('data', (chunk) => { text += chunk; });
        child.stderr.on('data', () => {});
        const messages = [];
        child.on('message', (message) => messages.push(message));
        const [code, signal] = await once(child, 'close');
        console.log(how, code, signal, child.connected, messages, text);
    }
    const killed = fork(file, ['echo']);
    await once(killed, 'message');
    killed.kill();
    await once(killed, 'disconnect');
    console.log('killed', (await once(killed, 'close')).join());
}

async function channels() {
    // Another descriptor, another program
    const child = spawn(process.execPath, [file, 'echo'], { stdio: ['ignore', 'inherit', 'inherit', 'ignore', 'ipc'] });
    console.log((await once(child, 'message'))[0].argv);
    child.send({ a: 1 });
    console.log((await once(child, 'message'))[0]);
    child.disconnect();
    console.log((await once(child, 'exit')).join());
}

async function late() {
    const child = fork(path.join(__dirname, 'late.js'));
    child.send('late');
    console.log((await once(child, 'message'))[0], (await once(child, 'exit')).join());
}

function refusals() {
    const child = fork(file, ['echo'], { stdio: 'ignore' });
    for (const args of [[], [undefined], [() => {}], [Symbol('x')], [1n], ['x', undefined, 5]])
        try {
            console.log(child.send(...args));
        } catch (error) {
            console.log(...show(error));
        }
    child.disconnect();
    for (const args of [[], [5], ['a\0b'], [file, 5], [file, [], 5], [file, { stdio: ['pipe'] }], [file, { stdio: 'none' }], [file, { serialization: 'xml' }]])
        try {
            fork(...args);
            console.log('accepted');
        } catch (error) {
            console.log(...show(error));
        }
}

(async () => {
    await talk();
    await ends();
    await channels();
    await late();
    refusals();
})();
