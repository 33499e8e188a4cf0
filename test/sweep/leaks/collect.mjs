// SPDX-License-Identifier: MIT
// collect -- free what only cycles hold.
const turn = () => new Promise((resolve) => setImmediate(resolve));

function makeRing() {
    const ring = { text: new Array(100) };
    ring.self = ring;
    return ring;
}

// Make cycles until an older one has been collected.
async function collectOnce() {
    const last = new WeakRef(makeRing());
    await turn(); // a WeakRef holds its target until then
    while (last.deref() !== undefined) {
        for (let i = 0; i < 1000; i++)
            makeRing();
        await turn();
    }
}

// What finalizers have released goes with the second one.
export async function collect() {
    await collectOnce();
    await collectOnce();
}
