// Intl.NumberFormat: options that are refused, ranges.
const t = (f) => {
    try {
        console.log(JSON.stringify(f(), (key, value) =>
            value === undefined ? 'undefined' : value));
    } catch (error) {
        console.log(`${error.name}: ${error.message}`);
    }
};

for (const name of ['style', 'currency', 'currencyDisplay', 'currencySign', 'unit', 'unitDisplay',
    'notation', 'compactDisplay', 'signDisplay', 'useGrouping', 'roundingMode', 'roundingPriority',
    'trailingZeroDisplay', 'localeMatcher', 'numberingSystem', 'minimumIntegerDigits',
    'minimumFractionDigits', 'maximumFractionDigits', 'minimumSignificantDigits',
    'maximumSignificantDigits', 'roundingIncrement']) {
    for (const value of ['x', -1, 100, null, {}, '', true, NaN, Infinity, 2.7, 'x'.repeat(1000)])
        t(() => [name, new Intl.NumberFormat('en', { [name]: value }).resolvedOptions()[name]]);
    t(() => new Intl.NumberFormat('en', { get [name]() { throw new Error(name); } }));
}
t(() => new Intl.NumberFormat('en', null));
t(() => new Intl.NumberFormat(null));
t(() => new Intl.NumberFormat('en', 1).resolvedOptions().style);
t(() => new Intl.NumberFormat('en', { style: 'currency' }));
t(() => new Intl.NumberFormat('en', { style: 'unit' }));
t(() => new Intl.NumberFormat('en', { style: 'unit', unit: 'meter-per-second-per-second' }));
t(() => new Intl.NumberFormat('en', { roundingIncrement: 5, maximumSignificantDigits: 3 }));
t(() => new Intl.NumberFormat('en', { roundingIncrement: 5, maximumFractionDigits: 3 }));
t(() => new Intl.NumberFormat('en', { minimumFractionDigits: 5, maximumFractionDigits: 1 }));
t(() => new Intl.NumberFormat('en', { minimumSignificantDigits: 5, maximumSignificantDigits: 1 }));
t(() => new Intl.NumberFormat('ja', { style: 'currency', currency: 'JPY' }).resolvedOptions());
t(() => new Intl.NumberFormat('en', { style: 'currency', currency: 'USD',
    maximumFractionDigits: 0 }).resolvedOptions());
t(() => Intl.NumberFormat('en').format(3));

for (const [start, end] of [[3, 5], [3, 3], [-1, 2], [1, 1000000],
    ['1', '99999999999999999999'], [5, 3], [1n, 2n]])
    for (const options of [{}, { style: 'currency', currency: 'USD' }, { notation: 'compact' },
        { style: 'unit', unit: 'meter' }, { maximumFractionDigits: 0 }])
        for (const locale of ['en', 'de']) {
            const format = new Intl.NumberFormat(locale, options);
            t(() => [locale, format.formatRange(start, end),
                format.formatRangeToParts(start, end)]);
        }
for (const ends of [[], [1], [1, NaN], [NaN, 1], [undefined, 1]]) {
    t(() => new Intl.NumberFormat().formatRange(...ends));
    t(() => new Intl.NumberFormat().formatRangeToParts(...ends));
}
