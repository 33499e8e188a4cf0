// Intl.NumberFormat: format() for options and locales.
const t = (f) => {
    try {
        console.log(JSON.stringify(f(), (key, value) =>
            value === undefined ? 'undefined' : value));
    } catch (error) {
        console.log(`${error.name}: ${error.message}`);
    }
};

const values = [0, -0, 1, -1, 1234.5678, -9876543.21, 0.000012345, 1e21, NaN, Infinity, -Infinity,
    12345678901234567890n, '987654321987654321.5', 999, 1000, 10000, 1500000, 0.5, 1.5, 2.5,
    1.005];
const all = [{}, { style: 'percent' }, { style: 'currency', currency: 'EUR' },
    { style: 'currency', currency: 'usd', currencySign: 'accounting', signDisplay: 'always' },
    { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' },
    { style: 'currency', currency: 'USD', currencyDisplay: 'code' },
    { style: 'currency', currency: 'KWD' }, { style: 'unit', unit: 'kilometer-per-hour' },
    { style: 'unit', unit: 'liter', unitDisplay: 'long' },
    { style: 'unit', unit: 'megabyte', unitDisplay: 'narrow' },
    { style: 'unit', unit: 'percent' }, { style: 'unit', unit: 'celsius' },
    { notation: 'compact' }, { notation: 'compact', compactDisplay: 'long' },
    { notation: 'scientific' }, { notation: 'engineering' }, { maximumSignificantDigits: 3 },
    { minimumFractionDigits: 2, maximumFractionDigits: 2 }, { minimumIntegerDigits: 5 },
    { useGrouping: false }, { useGrouping: 'min2' }, { useGrouping: 'always' },
    { signDisplay: 'always' }, { signDisplay: 'exceptZero' }, { signDisplay: 'negative' },
    { signDisplay: 'never' }, { roundingMode: 'ceil' }, { roundingMode: 'floor' },
    { roundingMode: 'expand' }, { roundingMode: 'halfCeil', maximumFractionDigits: 0 },
    { roundingMode: 'halfFloor', maximumFractionDigits: 0 },
    { roundingMode: 'halfTrunc', maximumFractionDigits: 0 },
    { roundingMode: 'halfEven', maximumFractionDigits: 0 },
    { roundingMode: 'trunc', maximumFractionDigits: 1 },
    { roundingIncrement: 5, maximumFractionDigits: 2, minimumFractionDigits: 2 },
    { roundingIncrement: 5000, maximumFractionDigits: 0 },
    { trailingZeroDisplay: 'stripIfInteger', minimumFractionDigits: 2 },
    { roundingPriority: 'morePrecision', maximumSignificantDigits: 3, maximumFractionDigits: 1 },
    { roundingPriority: 'lessPrecision', maximumSignificantDigits: 3, maximumFractionDigits: 1 },
    { numberingSystem: 'arab' }, { notation: 'compact', maximumFractionDigits: 1 },
    { maximumFractionDigits: 0 }, { style: 'percent', maximumFractionDigits: 2 }];
for (const locale of ['en', 'de', 'fr', 'hi', 'ja', 'pl', 'en-u-nu-thai'])
    for (const options of all) {
        const format = new Intl.NumberFormat(locale, options);
        console.log(locale, JSON.stringify(options), values.map((value) =>
            format.format(value)).join(' | '));
    }

for (const options of all) {
    const format = new Intl.NumberFormat('en', options);
    t(() => [options, format.resolvedOptions()]);
    for (const value of [1234.5, -0.00012, NaN, -Infinity, 0, 5n])
        console.log(format.formatToParts(value).map((part) =>
            `${part.type}=${part.value}`).join(' '));
}

for (const value of [undefined, null, '', ' 12 ', '0x1f', '1e3', '-1e-3', 'abc', true, [5], {},
    '1_000', '+5', '.5', '5.', 'Infinity', '-Infinity', '-0', '1e400', { valueOf() { return 7n; } },
    '1e999999999', '123456789012345678901234567890.123'])
    t(() => [typeof value === 'object' ? '' : String(value), new Intl.NumberFormat('en').format(value)]);
t(() => new Intl.NumberFormat('en').format({ valueOf() { throw new Error('value'); } }));
try {
    new Intl.NumberFormat().format(Symbol());
} catch (error) {
    console.log(error.name);
}

const { format } = new Intl.NumberFormat('en');
t(() => [[1, 2000].map(format), format.name, format.length,
    new Intl.NumberFormat('en').format === format]);
