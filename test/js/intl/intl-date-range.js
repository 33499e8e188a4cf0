// Intl.DateTimeFormat: ranges.
const t = (f) => {
    try {
        console.log(JSON.stringify(f(), (key, value) =>
            value === undefined ? 'undefined' : value));
    } catch (error) {
        console.log(`${error.name}: ${error.message}`);
    }
};

const start = Date.UTC(2024, 0, 10, 9, 30), hour = 3600e3, day = 24 * hour;
for (const locale of ['en-US', 'ja'])
    for (const options of [{}, { dateStyle: 'long' }, { dateStyle: 'short', timeStyle: 'short' },
        { hour: 'numeric', minute: 'numeric' }, { hour: 'numeric', hour12: false },
        { year: 'numeric', month: 'long', day: 'numeric' }, { month: 'short' }])
        for (const length of [0, hour, day, 40 * day, 400 * day, -day]) {
            const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
            t(() => [locale, options, format.formatRange(start, start + length),
                format.formatRangeToParts(start, start + length).map((part) =>
                    `${part.type}=${part.value}=${part.source}`).join(' ')]);
        }
for (const ends of [[], [1], [1, NaN], [NaN, 1], [undefined, 1], [1, 8.65e15]]) {
    t(() => new Intl.DateTimeFormat('en').formatRange(...ends));
    t(() => new Intl.DateTimeFormat('en').formatRangeToParts(...ends));
}
t(() => new Intl.DateTimeFormat('en', { timeZone: 'UTC' })
    .formatRange(Date.UTC(1500, 0, 1), Date.UTC(1501, 0, 1)));
