// Regular expressions: compiled, run, in strings' methods.
const all = [/^(?:a|b)+?$/, /(\d+)-(?<year>\d{4})\k<year>\1/y, /[^\w\u{1F600}-\u{1F64F}]/u, /\p{Script=Greek}\p{Lu}/iu,
    /(?<=x)y(?<!z)(?!q)/g, /[\p{L}--[a-z]]/v, /(?i:abc)def/, /(?:(a)|b)*/, /\bword\B.[\s\S]*?$/ms, /a{2,}b{3}c{0,1}/,
    /[[\q{abc|d}e]&&[a-f]]/v, /((((((((((a))))))))))\10/, /(?<a>x)|(?<a>y)/];
for (const re of all) { re.exec('abab 12-1999 word xyz ΑΒΓ aabbbc'); re.test('y'); re.flags; String(re); re.compile(re.source, re.flags); }
'a-b-c'.replace(/-/g, '+'); 'a1b2'.replace(/(\w)(\d)/g, (m, p, q) => q + p); 'a,b'.split(/,/);
'x1y2'.replaceAll(/\d/g, '[$&$`$\']'); [...'a1b2'.matchAll(/[a-z](?<n>\d)/dg)].map((m) => m.groups.n + m.indices[0]);
'abc'.search(/c/); 'aXbX'.match(/x/gi); new RegExp('a'.repeat(100) + '(' + 'b|'.repeat(50) + 'c)').exec('a'.repeat(100) + 'b');
for (const bad of ['(', '[', '(?<n>', 'a{2,1}', '\\k<x>(?<y>)', '(?<a>)(?<a>)']) try { new RegExp(bad, 'u'); } catch (e) { e.message; }
/(x+x+)+y/.test('x'.repeat(12)); RegExp.escape?.('a.b'); 'ß'.toUpperCase(); 'İ'.toLowerCase(); 'e\u0301'.normalize('NFC'); 'a'.localeCompare('b');
