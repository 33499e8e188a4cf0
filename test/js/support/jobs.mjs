// A scratch directory for stores, which is removed at the end, and what tests of
// weir:jobs wait for.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'weir-jobs-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));

export const file = (name) => path.join(folder, name);

// Resolves when an event was emitted `count` times, to what came with them.
export function events(emitter, name, count = 1) {
    const seen = [];
    return new Promise((resolve) => emitter.on(name, (...args) => {
        seen.push(args);
        if (seen.length === count)
            resolve(seen);
    }));
}
