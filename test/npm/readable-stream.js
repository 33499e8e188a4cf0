'use strict';
const { Readable, Transform, pipeline, promises } = require('readable-stream');

const upper = () => new Transform({ transform(chunk, encoding, done) {
    done(null, String(chunk).toUpperCase());
} });
pipeline(Readable.from(['a', 'b', 'c']), upper(), async function* (source) {
    for await (const chunk of source)
        yield `<${chunk}>`;
}, async (source) => {
    for await (const chunk of source)
        console.log(String(chunk));
}, async (error) => {
    console.log('over', error);
    await promises.pipeline(Readable.from([1]), async () => { throw new Error('no'); })
        .catch(({ message }) => console.log(message));
});
