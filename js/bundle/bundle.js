// SPDX-License-Identifier: MIT
// bundle -- packages of npm as files for js/compile, and their licences.
//
//     node bundle.js DIRECTORY NAME...
//
// Each NAME.js here becomes DIRECTORY/NAME.js, one file with all that it needs;
// DIRECTORY/NOTICE has the licence of each package that went into them.
'use strict';

const esbuild = require('esbuild');
const fs = require('fs');
const path = require('path');
const streamSource = require('./stream-source.js');

const [directory, ...names] = process.argv.slice(2);

// What whatwg-url gets instead of what it asks for.  url/idna is in js/lib.
const standIns = {
    tr46: { path: 'url/idna', external: true },
    '@exodus/bytes/whatwg.js': { path: path.join(__dirname, 'percent.js') },
    '@exodus/bytes/encoding.js': { path: 'none', namespace: 'none' },
};
const ours = { name: 'ours', setup(build) {
    build.onResolve({ filter: /^(tr46$|@exodus)/ }, (args) =>
        /whatwg-url/.test(args.importer) ? standIns[args.path] : undefined);
    build.onLoad({ filter: /.*/, namespace: 'none' }, () => ({ contents: '' }));
    // Of sucrase, what TypeScript needs.
    build.onResolve({ filter: /^\.\/\w+Transformer$/ }, (args) =>
        /sucrase/.test(args.importer) && !/(ESMImport|TypeScript)/.test(args.path) &&
            args.path !== './Transformer' ? { path: 'none', namespace: 'none' } : undefined);
    // @exodus/bytes must not look for Buffer in the global object, and its tables
    // are smaller as JSON than as code.
    build.onResolve({ filter: /^\.\/platform\.js$/ }, (args) => ({
        path: path.join(args.resolveDir, 'platform.browser.js') }));
    build.onLoad({ filter: /multi-byte\.encodings\.json$/ }, (args) => ({ contents:
        `module.exports = JSON.parse(${JSON.stringify(fs.readFileSync(args.path, 'utf8'))});` }));
} };

async function bundle() {
    const result = await esbuild.build({
        absWorkingDir: __dirname, entryPoints: names.map((name) => `./${name}.js`),
        outdir: path.resolve(directory), bundle: true, format: 'cjs',
        platform: 'neutral', target: 'es2023', mainFields: ['main'],
        external: ['bytes/encoding'], inject: ['globals.mjs'], plugins: [ours, streamSource],
        metafile: true, logLevel: 'warning',
    });
    return Object.keys(result.metafile.inputs);
}

function notice(inputs) {
    const packages = new Set(inputs.map((input) =>
        /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]).filter(Boolean));
    return [...packages].sort().map((name) => {
        const home = path.join(__dirname, 'node_modules', name);
        const { version, license } = JSON.parse(
            fs.readFileSync(path.join(home, 'package.json'), 'utf8'));
        const file = fs.readdirSync(home).find((one) => /^licen[cs]e/i.test(one));
        if (file === undefined)
            throw new Error(`${name} has no licence`);
        return `${name} ${version} (${license})\n\n` +
            fs.readFileSync(path.join(home, file), 'utf8').trim();
    }).join(`\n\n${'-'.repeat(72)}\n\n`) + '\n';
}

bundle().then((inputs) => {
    fs.writeFileSync(path.join(directory, 'NOTICE'),
        'libweir-js has these packages of npm inside.\n\n' + notice(inputs));
}).catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
});
