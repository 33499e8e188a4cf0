// weir only: Node crashes if LANG is long, and its toLocaleUpperCase() has no language.
//
// Names of locales and time zones in the environment that do not exist, and Turkish.
const { execFileSync } = require('child_process');
const script = `console.log(new Intl.NumberFormat().resolvedOptions().locale,
    (1234.5).toLocaleString(), 'iI'.toLocaleUpperCase(), 'iI'.toLocaleLowerCase(),
    new Intl.DateTimeFormat().resolvedOptions().timeZone,
    ['z', 'ä', 'a'].sort((a, b) => a.localeCompare(b)).join(''))`;
for (const env of [{ LANG: 'xx_YY' }, { LANG: '' }, { LC_ALL: 'tr_TR.UTF-8', LANG: 'de_DE' },
    { LANG: '!!' }, { LANG: 'x'.repeat(1000) }, { LANG: 'und' }, { LANG: 'de-CH', TZ: '!' },
    { TZ: 'x'.repeat(1000) }, { TZ: ':Europe/Berlin' }, { TZ: 'CET-1CEST' }])
    console.log(Object.keys(env).join(), execFileSync(process.execPath, ['-e', script], { env })
        .toString().trimEnd());
