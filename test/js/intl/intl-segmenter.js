// Intl.Segmenter.
const t = (f) => {
    try {
        console.log(JSON.stringify(f(), (key, value) =>
            value === undefined ? 'undefined' : value));
    } catch (error) {
        console.log(`${error.name}: ${error.message}`);
    }
};

const texts = ['', 'Hello, world! How are you?', '👨‍👩‍👧 é e\u0301 🇩🇪🇫🇷',
    'これは日本語です。テスト。', 'can\'t stop 3.14 1,000', '\ud800x', 'สวัสดีครับ', 'a\r\nb'];
for (const locale of ['en', 'ja', 'th'])
    for (const granularity of ['grapheme', 'word', 'sentence'])
        for (const text of texts) {
            const segments = new Intl.Segmenter(locale, { granularity }).segment(text);
            t(() => [locale, granularity, [...segments]]);
            t(() => [-1, 0, 1, 2, 5, 100, NaN, undefined, Infinity, -Infinity, -0.5, '1', 2 ** 31,
                2 ** 32].map((index) => segments.containing(index)));
        }

t(() => Intl.Segmenter());
t(() => new Intl.Segmenter('en', 1));
t(() => new Intl.Segmenter('en', null));
t(() => new Intl.Segmenter('en', { granularity: 'x' }));
t(() => new Intl.Segmenter('en', { localeMatcher: 'x' }));
t(() => new Intl.Segmenter('en', { get granularity() { throw new Error('granularity'); } }));
t(() => new Intl.Segmenter('x'));
t(() => new Intl.Segmenter(['de', 'en']).resolvedOptions());
t(() => [...new Intl.Segmenter().segment()].length);
t(() => new Intl.Segmenter().segment({ toString() { throw new Error('text'); } }));

const segments = new Intl.Segmenter().segment('ab'), iterator = segments[Symbol.iterator]();
t(() => [iterator.next(), iterator.next(), iterator.next(), iterator.next(),
    iterator[Symbol.iterator]() === iterator, Object.prototype.toString.call(iterator),
    Object.prototype.toString.call(segments)]);
t(() => Object.getOwnPropertyNames(Object.getPrototypeOf(segments)));
t(() => Object.getOwnPropertyNames(Object.getPrototypeOf(iterator)));
for (const receiver of [undefined, {}, segments, iterator])
    for (const method of [segments.containing, iterator.next, segments[Symbol.iterator]])
        try {
            console.log(typeof Reflect.apply(method, receiver, [0]));
        } catch (error) {
            console.log(error.name);
        }

// Iterators of one text do not disturb each other.
const first = segments[Symbol.iterator](), second = segments[Symbol.iterator]();
t(() => [first.next(), segments.containing(1), second.next(), first.next(), second.next()]);
const words = new Intl.Segmenter('en', { granularity: 'word' });
t(() => [...words.segment('one two')].map((word, i, all) =>
    [word.segment, word.isWordLike, [...words.segment('x y')].length, all.length]));

// A long text, read at its beginning only.
const long = 'word '.repeat(100000);
let count = 0;
for (const { segment } of words.segment(long)) {
    if (segment === 'word' && ++count === 1000)
        break;
}
t(() => [count, words.segment(long).containing(499998)?.segment,
    words.segment(long).containing(499998)?.index]);
