// run(): the events of test files, and what it refuses.
'use strict';

const path = require('node:path');
const { run } = require('node:test');
const { tap } = require('node:test/reporters');

for (const options of [{ files: 'a' }, { watch: 1 }, { setup: 1 }, { timeout: 'a' },
    { signal: 1 }, { concurrency: 'a' }, { shard: 1 }, { shard: { index: 1 } },
    { shard: { index: 3, total: 2 } }])
    try {
        run(options);
        console.log('accepted');
    } catch (error) {
        console.log(error.name, error.code, error.message);
    }

const files = ['first.cjs', 'second.cjs'].map((name) => path.join(__dirname, name));

function show({ type, data }) {
    if (/stdout|stderr|duration_ms/.test(type + data.message))
        return;
    const { name = '', nesting, testNumber, count, message, skip, file, details } = data;
    if (name.endsWith('second.cjs')) // its number differs
        console.log(type, path.basename(name), nesting, details?.error?.exitCode);
    else
        console.log(type, path.basename(name), nesting, testNumber, count, message, skip,
            file === undefined ? '' : path.basename(file), details?.type,
            details?.error?.failureType,
            details?.error?.cause?.message ?? details?.error?.cause);
}

(async () => {
    for await (const event of run({ files, concurrency: 1 }))
        show(event);
    for await (const { type, data } of run({ files, testNamePatterns: ['two', /four/] }))
        if (type === 'test:pass')
            console.log(data.name, data.skip);
    const controller = new AbortController();
    controller.abort();
    for await (const { type, data } of run({ files: [files[0]], signal: controller.signal }))
        if (type === 'test:fail')
            console.log(path.basename(data.name), data.details.error.failureType);
    let text = '';
    for await (const chunk of run({ files: [files[0]], setup: (stream) =>
        stream.on('test:start', ({ name }) => console.log('setup', name)) }).compose(tap))
        text += chunk;
    console.log(text.match(/^(?:not )?ok .*$/mg));
})();
