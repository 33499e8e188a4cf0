// Intl.DateTimeFormat: time zones.
const t = (f) => {
    try {
        console.log(JSON.stringify(f(), (key, value) =>
            value === undefined ? 'undefined' : value));
    } catch (error) {
        console.log(`${error.name}: ${error.message}`);
    }
};

for (const timeZone of ['UTC', 'utc', 'GMT', 'Etc/UTC', 'Etc/GMT', 'Etc/GMT+5', 'europe/berlin',
    'Asia/Kolkata', 'Asia/Calcutta', 'US/Pacific', 'America/Buenos_Aires', 'Zulu', 'x',
    '', '+01:00', 'Asia/Saigon', 'PST', 'Etc/Unknown', 'GMT0', null, 3,
    'x'.repeat(100000)])
    t(() => [String(timeZone).slice(0, 20),
        new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone]);

for (const timeZone of ['Europe/Berlin\0', 'Europe/Berlin\0x'.repeat(9), '\ud800', 'Европа'])
    try {
        console.log(new Intl.DateTimeFormat('en', { timeZone }).format(0));
    } catch (error) {
        console.log(error.name);
    }

// Across changes of the clock.
for (const timeZone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe',
    'Asia/Kathmandu', 'Pacific/Apia'])
    for (let time = Date.UTC(2011, 0, 1, 0, 30); time < Date.UTC(2024, 0, 1);
        time += 29.7 * 86400e3)
        console.log(timeZone, new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short',
            timeStyle: 'medium' }).format(time));
for (const timeZoneName of ['short', 'long', 'shortOffset', 'longOffset', 'shortGeneric',
    'longGeneric'])
    for (const time of [Date.UTC(2024, 0, 1), Date.UTC(2024, 6, 1)])
        t(() => new Intl.DateTimeFormat('en-US', { timeZone: 'America/New_York', timeZoneName })
            .format(time));

// The process's own, which it can change.
for (const zone of ['America/New_York', 'Asia/Tokyo', 'UTC']) {
    process.env.TZ = zone;
    const date = new Date(Date.UTC(2024, 1, 29, 13, 5, 9));
    t(() => [new Intl.DateTimeFormat().resolvedOptions().timeZone, date.toLocaleString('sv'),
        date.toLocaleDateString('en-US'), date.getHours(),
        new Intl.DateTimeFormat('en-US', { hour: 'numeric', hourCycle: 'h23' }).format(date)]);
}
