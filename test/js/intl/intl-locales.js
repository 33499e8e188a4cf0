// Language tags, which locales there are, supportedValuesOf.
const t = (f) => {
    try {
        console.log(JSON.stringify(f(), (key, value) =>
            value === undefined ? 'undefined' : value));
    } catch (error) {
        console.log(`${error.name}: ${error.message}`);
    }
};

// Not tags, of both kinds.
for (const tag of ['zh-cmn', 'i-klingon', 'en-gb-oed', 'x-foo', 'en-u', 'en-', 'abcd', 'e',
    'en-a-a', 'en_US', 'en-u-ca-gregory-u-nu-arab', 'de-1996-1996', 'en-t', '', 'root', 'C',
    'a-b-c', 'en-\u0130u', 'x'.repeat(100000), 'en-a-bb-a-cc', 'en-t-de-1996-1996'])
    t(() => [tag.slice(0, 30), Intl.getCanonicalLocales(tag)]);

for (const tag of ['EN-us', 'art-lojban', 'sh', 'iw', 'en-uk', 'hy-arevela', 'und-aaland',
    'sgn-BR', 'en-u-ca-gregory', 'en-u-kn-true', 'en-u-kn-yes', 'de-DD', 'ru-SU', 'hy-SU',
    'mo', 'cmn', 'zh-TW', 'en-t-de-m0-true', 'en-a-bb-x-a', 'ja-Latn-hepburn-heploc',
    'en-u-ca-islamicc', 'en-u-tz-cnckg', 'en-u-sd-frg', 'und-u-rg-uk',
    'sl-1994-biske-rozaj', 'sl-rozaj-biske-1994', 'ar-NT', 'en-QU', 'en-b-bb-a-aa',
    'en-u-nu-arab-ca-buddhist-foo', 'no', 'nb', 'tl', 'sr-ME', 'fr-u-attr-kn',
    'cel-gaulish', 'aam', 'en-Qaai', 'en-u-kn-false', 'en-u-ks-primary', 'und',
    'en-t-abcde-abcde', 'en-x-y-zzz', 'en-u-nu-latn-nu-arab'])
    t(() => [tag, Intl.getCanonicalLocales(tag)]);

// Lists.
for (const list of [undefined, null, 3, [3], [null], [undefined], [], 'en', ['en', 'EN', 'de'],
    { length: 2, 1: 'en' }, [{ toString() { return 'de'; } }], { length: -5 }, { length: NaN },
    [, 'fr'], [Symbol.iterator], new String('de'), { length: 1, 0: 'x' }, true])
    t(() => Intl.getCanonicalLocales(list));
t(() => Intl.getCanonicalLocales({ get length() { throw new Error('length'); } }));
t(() => Intl.getCanonicalLocales({ length: 1, get 0() { throw new Error('element'); } }));

// Which there are.
const some = ['zh-TW', 'zh-Hant-TW', 'no', 'nb', 'nn', 'iw', 'sr-Latn-RS', 'de-XX', 'xx',
    'en-u-nu-arab', 'und', 'pt-BR', 'fil', 'es-419', 'sh', 'tlh', 'en-001', 'zh-HK', 'de-AT',
    'en-US'];
for (const name of ['NumberFormat', 'Collator', 'Segmenter', 'DateTimeFormat', 'PluralRules',
    'ListFormat', 'RelativeTimeFormat']) {
    t(() => [name, Intl[name].supportedLocalesOf(some)]);
    t(() => Intl[name].supportedLocalesOf('en', { localeMatcher: 'x' }));
    t(() => Intl[name].supportedLocalesOf('en', null));
    t(() => Intl[name].supportedLocalesOf('x'));
    t(() => Intl[name].supportedLocalesOf());
    if (name === 'PluralRules')
        continue; // Node has rules of languages, without their regions
    for (const tag of ['zh-TW', 'zh-HK', 'no', 'de-XX', 'xx', 'sr-ME', 'en-AU', 'es-MX', 'de-AT',
        'pt-PT', 'zh-Hant', 'zh', 'en-GB-oxendict',
        'en-u-nu-arab-co-phonebk-hc-h23-ca-buddhist-x-y'])
        t(() => [name, tag, new Intl[name](tag).resolvedOptions().locale]);
}
t(() => new Intl.NumberFormat(['xx', 'de', 'en']).resolvedOptions().locale);
for (const [tag, more] of [['de', '-10000-10001-10002-10003-10004-10005-10006-10007-10008-10009' +
    '-10010-10011-10012-10013-10014-10015-10016-10017'], ['de-u-co', '-abcd'.repeat(5000)],
    ['de-u', '-kn'.repeat(50000)], ['de-a', '-ab'.repeat(50000)], ['de-x', '-a'.repeat(1000)]])
    t(() => [Intl.getCanonicalLocales(tag + more)[0].length,
        new Intl.NumberFormat(tag + more).resolvedOptions().locale]);
for (const text of ['en-u' + '-abc'.repeat(50000), 'en-t' + '-a1-abc'.repeat(50000),
    'en' + '-12345'.repeat(50000), 'en' + '-a-ab'.repeat(50000), 'en-x' + '-a'.repeat(50000)])
    try {
        Intl.getCanonicalLocales(`${text}!`);
    } catch (error) {
        console.log(error.name);
    }

// Values.
for (const [key, names] of Object.entries({
    unit: ['byte', 'year', 'x'], calendar: ['gregory', 'gregorian', 'iso8601'],
    collation: ['phonebk', 'standard', 'search'], numberingSystem: ['latn', 'hans', 'arab'],
    currency: ['EUR', 'USD', 'eur', 'JPY'], timeZone: ['Europe/Berlin', 'US/Pacific'] })) {
    const list = Intl.supportedValuesOf(key);
    t(() => [key, names.map((name) => list.includes(name)), list.length > 10,
        list.every((name, i) => i === 0 || name > list[i - 1])]);
}
t(() => Intl.supportedValuesOf('unit'));
t(() => Intl.supportedValuesOf('x'));
t(() => Intl.supportedValuesOf());
t(() => Intl.supportedValuesOf('toString'));

// What the objects look like.
t(() => Object.prototype.toString.call(Intl));
for (const name of ['DateTimeFormat', 'NumberFormat', 'Collator', 'PluralRules',
    'RelativeTimeFormat', 'ListFormat', 'Segmenter']) {
    const Class = Intl[name];
    t(() => [name, Class.length, Class.name, Reflect.ownKeys(Class),
        Object.getOwnPropertyDescriptor(Class, 'prototype'),
        Object.getOwnPropertyDescriptor(Intl, name).enumerable]);
    for (const key of Reflect.ownKeys(Class.prototype)) {
        const { enumerable, configurable, writable, value, get } =
            Object.getOwnPropertyDescriptor(Class.prototype, key);
        const method = value ?? get;
        t(() => [String(key), enumerable, configurable, writable, typeof value, method.name,
            method.length, typeof method === 'function' && Object.hasOwn(method, 'prototype')]);
        if (typeof method === 'function' && key !== 'constructor')
            for (const receiver of [undefined, null, 1, {}, Class, Intl])
                try {
                    console.log(Reflect.apply(method, receiver, ['x']));
                } catch (error) {
                    console.log(error.name);
                }
    }
    class More extends Class {}
    t(() => [new More('de') instanceof More, new More('de').resolvedOptions().locale,
        Object.prototype.toString.call(new More()), Object.keys(new More())]);
    t(() => Reflect.construct(Class, ['de'], Object).constructor === Object);
    t(() => typeof Class('de'));
}
