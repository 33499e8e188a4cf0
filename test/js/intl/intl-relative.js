// Intl.RelativeTimeFormat.
const t = (f) => {
    try {
        console.log(JSON.stringify(f(), (key, value) =>
            value === undefined ? 'undefined' : value));
    } catch (error) {
        console.log(`${error.name}: ${error.message}`);
    }
};

for (const locale of ['en', 'de', 'ja', 'pl'])
    for (const style of ['long', 'short', 'narrow'])
        for (const numeric of ['always', 'auto']) {
            const format = new Intl.RelativeTimeFormat(locale, { style, numeric });
            t(() => format.resolvedOptions());
            for (const unit of ['year', 'quarters', 'month', 'week', 'day', 'hours', 'minute',
                'second'])
                t(() => [[-2, -1, -0, 0, 1, 2, 1.5, 1000, -12345.678].map((value) =>
                    format.format(value, unit)), format.formatToParts(-1234.5, unit),
                    format.formatToParts(-1, unit)]);
        }
const format = new Intl.RelativeTimeFormat('en');
t(() => format.format(1, 'x'));
t(() => format.format(Infinity, 'day'));
t(() => format.format(NaN, 'day'));
t(() => format.format(1));
t(() => format.formatToParts(1, 'x'));
t(() => format.formatToParts(Infinity, 'day'));
t(() => format.format('5', 'days'));
t(() => new Intl.RelativeTimeFormat('en', { style: 'x' }));
t(() => new Intl.RelativeTimeFormat('en', { numeric: 'x' }));
t(() => new Intl.RelativeTimeFormat('en', { numberingSystem: 'arab' }).format(5, 'day'));
t(() => new Intl.RelativeTimeFormat('en', { numberingSystem: 'x' }));
t(() => new Intl.RelativeTimeFormat('en', null));
t(() => Intl.RelativeTimeFormat());
