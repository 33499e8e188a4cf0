// Intl.DateTimeFormat: its options, and those that are refused.
const t = (f) => {
    try {
        console.log(JSON.stringify(f(), (key, value) =>
            value === undefined ? 'undefined' : value));
    } catch (error) {
        console.log(`${error.name}: ${error.message}`);
    }
};

for (const name of ['weekday', 'era', 'year', 'month', 'day', 'dayPeriod', 'hour', 'minute',
    'second', 'fractionalSecondDigits', 'timeZoneName', 'formatMatcher', 'dateStyle', 'timeStyle',
    'calendar', 'numberingSystem', 'hourCycle', 'localeMatcher', 'hour12', 'timeZone']) {
    for (const value of ['x', 0, 4, null, '', {}, true, NaN])
        t(() => [name, new Intl.DateTimeFormat('en', { timeZone: 'UTC', [name]: value })
            .resolvedOptions()]);
    t(() => new Intl.DateTimeFormat('en', { get [name]() { throw new Error(name); } }));
}
t(() => new Intl.DateTimeFormat('en', null));
t(() => new Intl.DateTimeFormat('x'));
t(() => new Intl.DateTimeFormat('en', { dateStyle: 'full', hour: 'numeric' }));
t(() => new Intl.DateTimeFormat('en', { timeStyle: 'full', hour: 'numeric' }));
t(() => Object.keys(new Intl.DateTimeFormat('en')));

const time = Date.UTC(2024, 1, 29, 13, 5, 9);
for (const locale of ['ja-u-ca-japanese', 'ja', 'en', 'en-GB'])
    for (const options of [{}, { hour: 'numeric' }, { hour: 'numeric', hour12: true },
        { hour: 'numeric', hour12: false }, { hour: 'numeric', hourCycle: 'h12' },
        { calendar: 'gregory' }, { timeStyle: 'short' }])
        t(() => [locale, options,
            new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' }).resolvedOptions(),
            new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' }).format(time)]);
for (const locale of ['en-u-hc-h23', 'en-u-hc-h24', 'ja-u-hc-h11'])
    for (const options of [{}, { hour: 'numeric' }, { hour: 'numeric', hourCycle: 'h12' },
        { timeStyle: 'short' }])
        t(() => [locale, options,
            new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' }).resolvedOptions(),
            new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' }).format(time)]);
