// Intl.Collator.
const t = (f) => {
    try {
        console.log(JSON.stringify(f(), (key, value) =>
            value === undefined ? 'undefined' : value));
    } catch (error) {
        console.log(`${error.name}: ${error.message}`);
    }
};

const words = ['a', 'b', 'A', 'b', 'ä', 'z', 'Z', 'é', 'e', '10', '9', '1', 'résumé', 'resume',
    'Resume', 'co-op', 'coop', 'ñ', 'n', 'ß', 'ss', '', 'あ', 'ア', '中', 'α', '_x', '-y', ' '];
for (const locale of ['en', 'de', 'sv', 'es', 'da', 'ja', 'zh', 'de-u-co-phonebk', 'en-u-kn',
    'en-u-kf-upper', 'th', 'de-u-kn-false', 'mt', 'en-u-kn-true-kf-lower', 'zh-u-co-stroke',
    'fr-CA'])
    for (const options of [{}, { sensitivity: 'base' }, { sensitivity: 'accent' },
        { sensitivity: 'case' }, { ignorePunctuation: true }]) {
        const collator = new Intl.Collator(locale, options);
        t(() => [locale, options, collator.resolvedOptions()]);
        t(() => [...words].sort(collator.compare));
    }
for (const options of [{ numeric: true }, { caseFirst: 'upper' }, { caseFirst: 'lower' },
    { usage: 'search' }, { numeric: false, caseFirst: 'false' }, { collation: 'x'.repeat(8) }]) {
    const collator = new Intl.Collator('de', options);
    t(() => [collator.resolvedOptions(), [...words].sort(collator.compare)]);
}
for (const name of ['usage', 'sensitivity', 'caseFirst', 'localeMatcher', 'collation', 'numeric',
    'ignorePunctuation']) {
    for (const value of ['x', 0, null, '', {}])
        t(() => [name, new Intl.Collator('en', { [name]: value }).resolvedOptions()]);
    t(() => new Intl.Collator('en', { get [name]() { throw new Error(name); } }));
}
t(() => new Intl.Collator('en', null));
t(() => Intl.Collator('en').compare('a', 'b'));
t(() => [new Intl.Collator().compare(), new Intl.Collator().compare(1, '1'),
    new Intl.Collator().compare('a\ud800', 'a'), new Intl.Collator().compare('a\0b', 'a\0c')]);
const { compare } = new Intl.Collator('de');
t(() => [compare('ä', 'z'), compare.name, compare.length]);
t(() => compare({ toString() { throw new Error('a'); } }, 'b'));
