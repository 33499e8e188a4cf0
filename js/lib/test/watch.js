// SPDX-License-Identifier: MIT
// watch -- `weir test --watch`: run the tests again whose files have changed.
//
// A test file tells which files it has loaded.  Those are looked at again and
// again: unlike notifications, that also works when an editor replaces files.
'use strict';

const process = require('program/process');
const timers = require('timers/timers');

const PAUSE_MS = 200;

// What changes when a file is written or replaced.
function signatureOf(file) {
    const stats = require('fs/fs').statSync(file,
        { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? '' : `${stats.mtimeNs} ${stats.size} ${stats.ino}`;
}

class Watcher {
    #loaded = new Map(); // test file -> the files that it has loaded
    #signatures = new Map();

    // Before they run: a change during the run counts.
    note(testFiles) {
        for (const file of testFiles)
            for (const one of this.#loaded.get(file) ?? [file])
                this.#signatures.set(one, signatureOf(one));
    }

    // The files that were loaded for the first time.
    learn(testFile, files) {
        const all = new Set([testFile, ...files]);
        this.#loaded.set(testFile, all);
        for (const file of all)
            if (!this.#signatures.has(file))
                this.#signatures.set(file, signatureOf(file));
    }

    #changed() {
        return new Set([...this.#signatures].filter(([file, signature]) =>
            signatureOf(file) !== signature).map(([file]) => file));
    }

    // The test files to run again, or that are new.
    affected(testFiles) {
        const changed = this.#changed();
        return testFiles.filter((file) => {
            const loaded = this.#loaded.get(file);
            return loaded === undefined || [...loaded].some((one) => changed.has(one));
        });
    }
}

const pause = () => new Promise((resolve) => timers.setTimeout(resolve, PAUSE_MS));

// Runs until a signal ends it.
module.exports = async function watch(options, filesOf, runOnce) {
    const watcher = new Watcher();
    let root;
    const end = (code) => () => {
        for (const file of root?.subtests ?? [])
            file.controller.abort();
        process.exit(code);
    };
    process.on('SIGINT', end(130));
    process.on('SIGTERM', end(143));
    for (let files = filesOf(options); ;) {
        watcher.note(files);
        const harness = await runOnce(options, files, (made) => { root = made.root; });
        for (const file of harness.root.subtests)
            watcher.learn(file.name, file.files);
        process.stderr.write('weir test: waiting for changes\n');
        do {
            await pause();
            files = watcher.affected(filesOf(options));
        } while (files.length === 0);
    }
};
