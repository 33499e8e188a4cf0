// Intl.DateTimeFormat: format() and formatToParts().
const t = (f) => {
    try {
        console.log(JSON.stringify(f(), (key, value) =>
            value === undefined ? 'undefined' : value));
    } catch (error) {
        console.log(`${error.name}: ${error.message}`);
    }
};

const times = [0, Date.UTC(2024, 1, 29, 13, 5, 9, 87), Date.UTC(1999, 11, 31, 23, 59, 59, 999),
    Date.UTC(2026, 6, 15, 0, 30)];
const all = [{}, { dateStyle: 'full', timeStyle: 'full' }, { dateStyle: 'long', timeStyle: 'long' },
    { dateStyle: 'medium', timeStyle: 'medium' }, { dateStyle: 'short', timeStyle: 'short' },
    { dateStyle: 'full' }, { timeStyle: 'short' }, { timeStyle: 'short', hour12: false },
    { timeStyle: 'short', hourCycle: 'h23' },
    { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' },
    { year: '2-digit', month: '2-digit', day: '2-digit' },
    { hour: '2-digit', minute: '2-digit', second: '2-digit' },
    { hour: 'numeric', minute: 'numeric', hour12: false },
    { hour: 'numeric', hourCycle: 'h24' }, { hour: '2-digit', hourCycle: 'h23', minute: '2-digit' },
    { minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 },
    { second: 'numeric', fractionalSecondDigits: 1 }, { era: 'short', year: 'numeric' },
    { month: 'long' }, { month: 'narrow' }, { weekday: 'narrow' }, { day: 'numeric' },
    { year: 'numeric', month: 'short' }, { timeZoneName: 'short' }, { calendar: 'japanese', era: 'long', year: 'numeric' },
    { calendar: 'hebrew', dateStyle: 'long' }, { numberingSystem: 'arab' },
    { month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' },
    { weekday: 'long' }, { hour: 'numeric' }, { minute: 'numeric' }, { second: 'numeric' }];
for (const locale of ['en-US', 'en-GB', 'de', 'fr', 'ja', 'zh', 'sv', 'pt-BR'])
    for (const options of all)
        for (const timeZone of ['UTC', 'Europe/Berlin']) {
            const format = new Intl.DateTimeFormat(locale, { ...options, timeZone });
            console.log(locale, timeZone, JSON.stringify(options), times.map((time) =>
                format.format(time)).join(' | '));
        }
for (const locale of ['en-US', 'sv'])
    for (const options of all) {
        const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'America/New_York' });
        t(() => [options, format.resolvedOptions()]);
        console.log(format.formatToParts(times[1]).map((part) =>
            `${part.type}=${part.value}`).join(' '));
    }

// The calendar is Gregory's at all times.
for (const time of [-1e14, -8.64e15, 8.64e15, Date.UTC(1500, 0, 1), Date.UTC(1582, 9, 10), -0])
    t(() => new Intl.DateTimeFormat('en', { timeZone: 'UTC', year: 'numeric', month: 'short',
        day: 'numeric', era: 'short' }).format(time));

const { format } = new Intl.DateTimeFormat('en', { timeZone: 'UTC' });
t(() => [[0, times[1]].map((time) => format(time)), format.name, format.length, format(new Date(0)),
    format(null), Intl.DateTimeFormat('en', { timeZone: 'UTC' }).format(0)]);
for (const value of [NaN, 8.65e15, Infinity, {}, 'x'])
    t(() => format(value));
t(() => new Intl.DateTimeFormat('en').formatToParts(NaN));
t(() => format({ valueOf() { throw new Error('value'); } }));
