// toLocaleString, localeCompare and their kin.
const t = (f) => {
    try {
        console.log(JSON.stringify(f(), (key, value) =>
            value === undefined ? 'undefined' : value));
    } catch (error) {
        console.log(`${error.name}: ${error.message}`);
    }
};

process.env.TZ = 'America/New_York';
const date = new Date(Date.UTC(2024, 1, 29, 13, 5, 9));
t(() => [(1234.5).toLocaleString(), (1234.5).toLocaleString('de'),
    (0.5).toLocaleString('en', { style: 'percent' }), Object(1234).toLocaleString('en'),
    123456789012345678901234567890n.toLocaleString('de'),
    10n.toLocaleString('en', { style: 'currency', currency: 'EUR' }),
    NaN.toLocaleString(), (-0).toLocaleString()]);
t(() => [1234.5, new Date(0), 'x', null, undefined, 5n].toLocaleString('de', { timeZone: 'UTC' }));
t(() => [new Float64Array([1234.5, 2]).toLocaleString('fr'), [1234.5, [5678]].toLocaleString()]);
t(() => [{ toLocaleString(...args) { return args.length; } }].toLocaleString('de', {}));
t(() => [date.toLocaleString(), date.toLocaleDateString(), date.toLocaleTimeString(),
    date.toLocaleString('de'), date.toLocaleDateString('de', { weekday: 'long' }),
    date.toLocaleTimeString('de', { timeZone: 'UTC' }),
    date.toLocaleTimeString('en', { hourCycle: 'h23' }),
    date.toLocaleDateString('en', { hour: 'numeric' }),
    date.toLocaleTimeString('en', { year: 'numeric' }),
    date.toLocaleString('en', { timeZoneName: 'short' }),
    date.toLocaleString('en', { dateStyle: 'short' })]);
process.env.TZ = 'Asia/Tokyo';
t(() => [date.toLocaleString(), date.toLocaleString(), date.toLocaleString('de')]);
t(() => new Date(NaN).toLocaleString());
t(() => new Date(NaN).toLocaleDateString('de'));
t(() => date.toLocaleDateString('en', { timeStyle: 'short' }));
t(() => date.toLocaleTimeString('en', { dateStyle: 'short' }));
t(() => ['a'.localeCompare('b'), 'a'.localeCompare('A'), 'ä'.localeCompare('z', 'de'),
    'ä'.localeCompare('z', 'sv'), 'a'.localeCompare('B'),
    '2'.localeCompare('10', undefined, { numeric: true }),
    'a'.localeCompare('á', 'en', { sensitivity: 'base' }), 'a'.localeCompare(),
    ['b', 'a', 'B', 'A', 'é', 'z'].sort((a, b) => a.localeCompare(b))]);
t(() => 'a'.localeCompare('b', 'x'));
t(() => 'a'.localeCompare('b', 'en', { usage: 'x' }));
t(() => ['i'.toLocaleUpperCase('tr'), 'I'.toLocaleLowerCase('tr'), 'I'.toLocaleLowerCase(),
    'ß'.toLocaleUpperCase('de'), 'άέ'.toLocaleUpperCase('el'), 'İ'.toLocaleLowerCase('lt'),
    'Ì'.toLocaleLowerCase('lt'), 'i'.toLocaleUpperCase(['tr', 'en']),
    'i'.repeat(500).toLocaleUpperCase('az').length, 'a'.toLocaleUpperCase([])]);
t(() => 'a'.toLocaleUpperCase('x'));
t(() => 'a'.toLocaleUpperCase(null));
t(() => (1).toLocaleString('x'));
t(() => (1).toLocaleString('en', { style: 'x' }));
t(() => date.toLocaleString('x'));
t(() => date.toLocaleString('en', { weekday: 'x' }));
t(() => date.toLocaleDateString('en', null));
t(() => (1).toLocaleString('en', null));
t(() => 'a'.localeCompare('b', 'en', null));
t(() => ['\u0041\u030a'.normalize(), '\u00c5'.normalize('NFD').length, 'ﬁ'.normalize('NFKC')]);

for (const [Class, receivers] of [[Number, ['x', null, {}]], [BigInt, [1, null]],
    [Date, [{}, 0, null]], [String, [null, undefined]]])
    for (const name of ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString',
        'localeCompare', 'toLocaleUpperCase', 'toLocaleLowerCase'])
        if (Object.hasOwn(Class.prototype, name)) {
            const method = Class.prototype[name];
            t(() => [Class.name, name, method.length, method.name]);
            for (const receiver of receivers)
                try {
                    console.log(Reflect.apply(method, receiver, ['a']));
                } catch (error) {
                    console.log(error.name);
                }
        }

// Code of another realm.
const vm = require('vm');
t(() => vm.runInNewContext(`[(1234.5).toLocaleString('de'), 'ä'.localeCompare('z', 'sv'),
    5n.toLocaleString('ar-u-nu-arab'), [1234.5].toLocaleString('de')].join(' ')`));
t(() => vm.runInNewContext(`[typeof Intl, new Intl.NumberFormat('de').format(1234.5),
    typeof Intl, Object.prototype.toString.call(Intl)].join(' ')`));
t(() => vm.runInNewContext('Intl = 5; [Intl, globalThis.Intl]'));
t(() => vm.runInNewContext('delete globalThis.Intl && typeof Intl'));
t(() => vm.runInNewContext('Intl', { Intl: 7 }));
const context = vm.createContext({});
t(() => [vm.runInContext('Intl === Intl', context), Object.getOwnPropertyNames(context)]);
