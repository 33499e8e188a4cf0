// Intl.ListFormat.
const t = (f) => {
    try {
        console.log(JSON.stringify(f(), (key, value) =>
            value === undefined ? 'undefined' : value));
    } catch (error) {
        console.log(`${error.name}: ${error.message}`);
    }
};

for (const locale of ['en', 'de', 'ja', 'es', 'fr'])
    for (const type of ['conjunction', 'disjunction', 'unit'])
        for (const style of ['long', 'short', 'narrow']) {
            const list = new Intl.ListFormat(locale, { type, style });
            t(() => [locale, type, style, [], ['a'], ['a', 'b'], ['a', 'b', 'c', 'd']]
                .map((texts) => typeof texts === 'string' ? texts : list.format(texts)));
            t(() => [list.formatToParts(['x', '', 'z']), list.formatToParts([]),
                list.formatToParts(['a'])]);
        }
t(() => [new Intl.ListFormat('es').format(['a', 'i']), new Intl.ListFormat('en').format(),
    new Intl.ListFormat('en').format('abc'), new Intl.ListFormat('en').format(new Set(['x', 'y']))]);
t(() => new Intl.ListFormat('en').format(Array(1000).fill('x')).length);
t(() => new Intl.ListFormat('en').format([1]));
t(() => new Intl.ListFormat('en').format(['a', undefined]));
for (const given of [3, null, {}])
    try {
        new Intl.ListFormat('en').format(given);
    } catch (error) {
        console.log(error.name);
    }
t(() => new Intl.ListFormat('en').format((function* () {
    yield 'a';
    throw new Error('iterator');
})()));
t(() => new Intl.ListFormat('en', 1));
t(() => new Intl.ListFormat('en', null));
for (const name of ['type', 'style', 'localeMatcher'])
    t(() => new Intl.ListFormat('en', { [name]: 'x' }));
t(() => Intl.ListFormat());
t(() => new Intl.ListFormat('en').resolvedOptions());
