// SPDX-License-Identifier: MIT
// confined -- run programs in confined processes, in a directory of their own.
//
// Each program has `attempt(name, function)`, which prints whether the function
// returns (and what) or with which error it fails.
'use strict';

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const top = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'weir-confined-')));
process.on('exit', () => fs.rmSync(top, { recursive: true, force: true }));

const prelude = `
const top = ${JSON.stringify(top)};
const say = (name, text) => console.log('  ' + name + ': ' + text);
const describe = (error) => error?.code === 'ERR_ACCESS_DENIED'
    ? 'denied ' + error.permission + ' ' + JSON.stringify(error.resource).replaceAll(top, 'TOP')
    : 'failed ' + (error?.cause?.code ?? error?.code ?? error);
async function attempt(name, run) {
    try {
        const value = await run();
        say(name, value === undefined ? 'done' : 'done ' + JSON.stringify(value)?.replaceAll(top, 'TOP'));
    } catch (error) {
        say(name, describe(error));
    }
}
`;

// TOP in an option stands for the directory.
function confined(title, options, code, env = process.env) {
    console.log(title);
    const { stdout, stderr, status, signal } = spawnSync(process.execPath,
        ['--permission', ...options.map((one) => one.replaceAll('TOP', top)), '-e',
            `${prelude}(async () => {${code}})();`],
        { encoding: 'utf8', timeout: 60000, cwd: top, env });
    process.stdout.write(stdout);
    if (stderr !== '' || status !== 0)
        console.log(`  status ${status ?? signal} ${stderr.replaceAll(top, 'TOP')}`);
}

module.exports = { top, confined };
