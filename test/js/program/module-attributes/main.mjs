// Import attributes: right, missing, wrong, unknown; and names that are none.
const here = import.meta.url.slice(0, -'main.mjs'.length), directory = import.meta.dirname;
const show = (promise) => promise.then((found) => console.log(JSON.stringify(found)), ({ name, code, message }) =>
    console.log(name, code, message.replaceAll(here, 'URL/').replaceAll(directory, 'DIRECTORY')));
const kinds = [undefined, {}, { with: undefined }, { with: {} }, { with: { type: 'json' } }, { with: { type: 'css' } }, { with: { type: '' } },
    { with: { type: 'javascript' } }, { with: { other: 'json' } }, { with: { type: 'json', other: 'x' } }];
for (const name of ['./data.json', './code.mjs', './code.cjs', 'node:path', './missing.json'])
    for (const options of kinds)
        await show(import(name, options).then((found) => found.default?.kind ?? found.kind ?? typeof found));
for (const name of ['none', 'unknown', 'wrong', 'more'])
    await show(import(`./${name}.mjs`));
console.log((await import('./data.json', { with: { type: 'json' } })).default === (await import('./more.mjs')).default);
for (const name of ['./', './a%2fb.mjs', './a%5Cb.mjs?x', '@scope', '.hidden', 'a%20b', 'a\\b', ''])
    await show(import(name));
