'use strict';
// The advanced format of a channel, between programs of the same kind and with
// Node.
const { fork } = require('child_process');
const { once } = require('events');
const path = require('path');
const { inspect, isDeepStrictEqual } = require('util');

const messages = [5, 'é€', [1, , 3], new Map([[1, new Set(['x'])]]), Buffer.from('bytes'), new Uint16Array([1, 2]), { big: 10n ** 30n }, new Date(5), /x/g,
    { nested: { deep: [undefined, null, NaN, -0] } }, 'x'.repeat(200000), new ArrayBuffer(3)];

async function talk(name, execPath) {
    const child = fork(path.join(__dirname, 'child.js'), { serialization: 'advanced', execPath, execArgv: [] });
    for (const message of messages) {
        child.send(message);
        const [back] = await once(child, 'message');
        console.log(name, isDeepStrictEqual(back, message), inspect(back).length);
    }
    for (let i = 0; i < 500; i++)
        child.send(i);
    let next = 0;
    await new Promise((resolve) => child.on('message', (number) => {
        if (number !== next++)
            console.log('out of order', number);
        if (next === 500)
            resolve();
    }));
    try {
        child.send({ f() {} });
    } catch (error) {
        console.log(name, error.constructor.name);
    }
    child.disconnect();
    console.log(name, (await once(child, 'exit')).join());
}

(async () => {
    await talk('same', process.execPath);
    await talk('node', 'node');
})();
