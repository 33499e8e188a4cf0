// Intl.PluralRules.
const t = (f) => {
    try {
        console.log(JSON.stringify(f(), (key, value) =>
            value === undefined ? 'undefined' : value));
    } catch (error) {
        console.log(`${error.name}: ${error.message}`);
    }
};

for (const locale of ['en', 'ar', 'pl', 'cy', 'fr', 'ja', 'ru'])
    for (const type of ['cardinal', 'ordinal']) {
        const rules = new Intl.PluralRules(locale, { type });
        t(() => [locale, rules.resolvedOptions()]);
        t(() => [0, 1, 2, 3, 4, 5, 6, 10, 11, 20, 21, 22, 100, 101, 1.5, 0.1, 1e6, -1, NaN,
            Infinity, '2', null, undefined].map((value) => rules.select(value)));
        t(() => [rules.selectRange(1, 2), rules.selectRange(0, 1), rules.selectRange(5, 1)]);
    }
t(() => new Intl.PluralRules('en', { minimumFractionDigits: 1 }).select(1));
t(() => new Intl.PluralRules('en', { maximumSignificantDigits: 2 }).resolvedOptions());
t(() => new Intl.PluralRules('en').selectRange(1));
t(() => new Intl.PluralRules('en').selectRange(1, NaN));
t(() => new Intl.PluralRules('en').selectRange(NaN, 1));
t(() => Intl.PluralRules());
t(() => new Intl.PluralRules('en', null));
t(() => new Intl.PluralRules('x'));
for (const name of ['type', 'localeMatcher', 'minimumIntegerDigits', 'maximumFractionDigits'])
    t(() => new Intl.PluralRules('en', { [name]: 'x' }));
