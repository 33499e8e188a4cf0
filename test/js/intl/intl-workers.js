// Intl in several threads at once, which load ICU at the same time.
const { Worker, isMainThread, parentPort } = require('worker_threads');

if (isMainThread) {
    const answers = [];
    for (let i = 0; i < 6; i++)
        new Worker(__filename).on('message', (text) => {
            answers.push(text);
            if (answers.length === 6)
                console.log(new Set(answers).size, answers[0]);
        }).on('error', (error) => console.log(error));
} else {
    const texts = [];
    for (const locale of ['en', 'de', 'ja', 'fr', 'sv', 'pl'])
        for (const timeZone of ['UTC', 'Europe/Berlin', 'America/New_York'])
            texts.push(new Intl.DateTimeFormat(locale, { timeZone, year: 'numeric', month: 'long',
                day: 'numeric' }).format(1e12), (1234.5).toLocaleString(locale),
                ['b', 'ä', 'a'].sort(new Intl.Collator(locale).compare).join(''),
                [...new Intl.Segmenter(locale, { granularity: 'word' }).segment('a b c')].length);
    parentPort.postMessage(texts.join(' '));
}
