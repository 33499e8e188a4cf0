exports.n = (globalThis.n = (globalThis.n ?? 0) + 1);
