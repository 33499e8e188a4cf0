// The locale and the time zone that the environment names.
const { execFileSync } = require('child_process');
const script = `console.log(new Intl.NumberFormat().resolvedOptions().locale,
    (1234.5).toLocaleString(), 'iI'.toLocaleUpperCase(), 'iI'.toLocaleLowerCase(),
    new Intl.DateTimeFormat().resolvedOptions().timeZone,
    ['z', 'ä', 'a'].sort((a, b) => a.localeCompare(b)).join(''))`;
for (const env of [{}, { LANG: 'C' }, { LANG: 'POSIX' }, { LANG: 'de_DE.UTF-8' },
    { LC_MESSAGES: 'sv_SE', LANG: 'de' }, { LANG: 'en_GB', TZ: 'Europe/Berlin' },
    { LC_ALL: 'C', LANG: 'tr_TR' }, { LANG: 'C.UTF-8', TZ: 'America/New_York' }])
    console.log(Object.keys(env).join(), execFileSync(process.execPath, ['-e', script], { env })
        .toString().trimEnd());
