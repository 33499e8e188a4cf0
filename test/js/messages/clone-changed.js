// weir only: Node lets it pass; HTML says DataCloneError
// Getters that change what is to be transferred: an error, and nothing is lost
// or used twice.
'use strict';
function attempt(name, fn) {
    try {
        fn();
        console.log(name, 'fine');
    } catch (error) {
        console.log(name, error.constructor.name, error.name);
    }
}
for (const size of [8, 1 << 20]) {
    const twice = new ArrayBuffer(size);
    attempt(`transferred meanwhile ${size}`, () => structuredClone(
        { get a() { structuredClone(twice, { transfer: [twice] }); }, twice },
        { transfer: [twice] }));
    console.log(twice.byteLength);

    const listed = new ArrayBuffer(size);
    attempt(`transferred meanwhile, only listed ${size}`, () => structuredClone(
        { get a() { structuredClone(listed, { transfer: [listed] }); } },
        { transfer: [listed] }));
    console.log(listed.byteLength);
}

// Shared memory that was on its way when the rest was refused is not lost.
attempt('refused', () => structuredClone([new SharedArrayBuffer(1 << 16), () => {}]));
