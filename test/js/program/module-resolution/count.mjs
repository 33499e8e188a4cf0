globalThis.counter = (globalThis.counter ?? 0) + 1; export const id = globalThis.counter;
