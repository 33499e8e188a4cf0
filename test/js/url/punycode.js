// punycode: the examples of RFC 3492, domains, errors.
const punycode = require('punycode');

const samples = ['ليهمابتكلموشعربي؟', '他们为什么不说中文', 'Pročprostěnemluvíčesky',
    'なぜみんな日本語を話してくれないのか', 'Почемужеонинеговорятпорусски', '3年B組金八先生',
    '-> $1.00 <-', 'mañana', 'bücher', '☃-⌘', '', 'abc', '\u{1f600}', 'a\u{1f600}ü'];
for (const sample of samples) {
    const text = punycode.encode(sample);
    console.log(text, punycode.decode(text) === sample);
}
for (const domain of ['mañana.com', 'example.com.', 'bücher.example', '☃。net', 'джумла@домен.рф',
    'xn--maana-pta.com', 'XN--maana-pta.com'])
    console.log(punycode.toASCII(domain), punycode.toUnicode(domain));
console.log(punycode.ucs2.decode('\ud834\udf06a\ud834'), punycode.ucs2.encode([0x1d306, 97]),
    punycode.version);
for (const text of ['é-a', '!!', 'ls8h=', '99999999', 'a-é', '0'])
    try {
        console.log(punycode.decode(text));
    } catch (error) {
        console.log(error.name, error.message);
    }
console.log(Object.keys(punycode));
