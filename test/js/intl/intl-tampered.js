// What a program does to the prototypes does not reach Intl.
const { writeSync } = require('fs');
const json = JSON.stringify;
['format', 'compare', 'range', 'interval', 'weekday', 'hour', 'unit', 'currency',
    'minimumSignificantDigits', 'maximumFractionDigits', 'hc', 'nu', 'ca', 'co', 'timeStyle',
    'dateStyle', 'numberingSystem', 'compactDisplay', 'system', 'collation'].forEach((name) => {
    Object.defineProperty(Object.prototype, name,
        { value: 'tampered', configurable: true, enumerable: true, writable: true });
});
function tamper(Class, name) {
    const value = () => { throw new Error(`tampered ${String(name)}`); };
    Object.defineProperty(Class.prototype, name, { configurable: true, value });
}
['get', 'set', 'has', 'keys'].forEach((name) => tamper(Map, name));
['has'].forEach((name) => tamper(Set, name));
['exec', 'test', Symbol.replace, Symbol.match].forEach((name) => tamper(RegExp, name));
['replace', 'split', 'trim', 'slice', 'startsWith', 'toLowerCase', 'match'].forEach((name) =>
    tamper(String, name));
['push', 'map', 'filter', 'join', 'slice', 'sort', 'includes', 'indexOf', 'some', 'find', 'fill',
    Symbol.iterator].forEach((name) => tamper(Array, name));

let all = '';
const t = (f) => {
    let text;
    try {
        text = f();
    } catch (error) {
        text = error.message;
    }
    all += `${typeof text === 'string' ? text : json(text)}\n`;
};
t(() => new Intl.NumberFormat('de').format(1234.5));
t(() => new Intl.NumberFormat('de').formatToParts(1234.5).length);
t(() => new Intl.NumberFormat('de').formatRange(1, 2));
t(() => new Intl.NumberFormat('en').resolvedOptions().unit);
t(() => new Intl.DateTimeFormat('en').resolvedOptions().calendar);
t(() => new Intl.DateTimeFormat('en').format(1e12));
t(() => new Intl.DateTimeFormat('en').formatRange(1e12, 2e12));
t(() => new Intl.Collator('de').compare('ä', 'z'));
t(() => new Intl.Collator('de').resolvedOptions().usage);
t(() => new Intl.PluralRules('en').select(1));
t(() => new Intl.Segmenter('en').segment('ab').containing(1).segment);
t(() => new Intl.RelativeTimeFormat('en').format(1, 'day'));
t(() => Intl.getCanonicalLocales('EN-us-u-nu-latn')[0]);
t(() => (1234.5).toLocaleString('de'));
t(() => 'ä'.localeCompare('z', 'sv'));
t(() => new Date(1e12).toLocaleDateString('de', { __proto__: null, timeZone: 'UTC' }));
t(() => 'i'.toLocaleUpperCase('tr'));
writeSync(1, all);
