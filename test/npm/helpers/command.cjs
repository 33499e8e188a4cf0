'use strict';
// Runs the command of a package, with the program that runs this file.
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const modules = path.join(__dirname, '..', 'node_modules');

// A directory with these files, by their names, that can load the packages.
function project(files) {
    const cwd = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'project-')));
    process.on('exit', () => fs.rmSync(cwd, { recursive: true }));
    fs.symlinkSync(modules, path.join(cwd, 'node_modules'));
    for (const [name, text] of Object.entries(files)) {
        fs.mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true });
        fs.writeFileSync(path.join(cwd, name), text);
    }
    return cwd;
}

// Prints what the command prints, without what differs from run to run.
function run(cwd, name, ...args) {
    const file = fs.realpathSync(path.join(modules, '.bin', name));
    const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args],
        { cwd, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0',
            WEIR_BLOCKED_AFTER: '0' } }); // it takes seconds to load some of them
    const tidy = (text) => text.replaceAll(cwd, 'PROJECT')
        .replace(/ \(\d+ ?m?s\)/g, '').replace(/^Time: .*\n/gm, '');
    console.log(`$ ${name} ${args.join(' ')}\n${tidy(stdout)}${tidy(stderr)}= ${status}`);
}

module.exports = { project, run };
