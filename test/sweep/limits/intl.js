// Classes of Intl, and the methods that depend on locales.
const made = [], texts = [];
const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Tokyo'];
for (let i = 0; i < 30; i++) {
    const locale = ['en', 'de', 'ja', 'ar', 'fr-CA'][i % 5];
    const date = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long',
        timeZone: zones[i % 4] });
    const number = new Intl.NumberFormat(locale, { minimumFractionDigits: i % 20 });
    made.push(date, number, new Intl.Collator(locale, { numeric: true }),
        new Intl.Segmenter(locale, { granularity: 'word' }), new Intl.PluralRules(locale));
    texts.push(date.format(i * 1e10), date.formatRange(0, i * 1e10), number.format(1.5 ** i),
        JSON.stringify([date.formatToParts(i), number.formatToParts(-i)]),
        [...made.at(-2).segment('ein zwei drei '.repeat(i * 20))].length,
        new Intl.ListFormat(locale).format(Array(i * 10).fill('x')),
        new Intl.RelativeTimeFormat(locale).format(-i, 'day'), (i * 1e6).toLocaleString(locale),
        'i'.repeat(i * 100).toLocaleUpperCase('tr').length, `${i}`.localeCompare('15', locale));
}
console.log(texts.length, Intl.supportedValuesOf('timeZone').length > 400, 'done');
