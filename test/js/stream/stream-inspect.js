// How streams are shown, and what of their state a program can see.
const { Readable, Writable, Duplex, Transform, PassThrough } = require('stream');
const { inspect } = require('util');
for (const one of [new Readable({ read() {} }), new Writable({ write() {} }), new Duplex(), new Transform(), new PassThrough({ objectMode: true })]) {
    console.log(inspect(one, { depth: -1 }), inspect(one).split(' ')[0]);
    for (const key of ['_readableState', '_writableState'])
        if (one[key])
            console.log(key, one[key].constructor.name);
}
const stream = new PassThrough();
stream.write('x');
const read = stream._readableState, write = stream._writableState;
for (const key of ['objectMode', 'highWaterMark', 'length', 'pipes', 'flowing', 'ended', 'endEmitted', 'reading', 'constructed', 'sync', 'needReadable', 'emittedReadable', 'readableListening', 'resumeScheduled', 'errorEmitted', 'emitClose', 'autoDestroy', 'destroyed', 'errored', 'closed', 'closeEmitted', 'defaultEncoding', 'awaitDrainWriters', 'multiAwaitDrain', 'readingMore', 'dataEmitted', 'decoder', 'encoding'])
    console.log(key, read[key]);
console.log(read.buffer.length, [...read.buffer].map(String));
for (const key of ['objectMode', 'highWaterMark', 'length', 'finalCalled', 'needDrain', 'ending', 'ended', 'finished', 'destroyed', 'decodeStrings', 'defaultEncoding', 'writing', 'corked', 'sync', 'bufferProcessing', 'pendingcb', 'constructed', 'prefinished', 'errorEmitted', 'emitClose', 'autoDestroy', 'errored', 'closed', 'closeEmitted', 'bufferedRequestCount'])
    console.log(key, write[key]);
console.log(typeof write.getBuffer, write.getBuffer(), typeof write.onwrite);
