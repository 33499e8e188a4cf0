// Readable: when each event comes, and what read() gives.
const { Readable } = require('stream');
const tell = (name, stream) => {
    for (const event of ['readable', 'data', 'end', 'close', 'error', 'pause', 'resume'])
        if (event !== 'readable' && event !== 'data')
            stream.on(event, (value) => console.log(name, event, value?.message ?? ''));
    return stream;
};

{ // flowing, pushed in advance
    const stream = tell('a', new Readable({ read() {} }));
    stream.push('one');
    stream.push(Buffer.from('two'));
    stream.push(new Uint8Array([104, 105]));
    stream.push(null);
    console.log('a', stream.readableLength, stream.readableFlowing);
    stream.on('data', (chunk) => console.log('a data', chunk, stream.readableLength));
    console.log('a', stream.readableFlowing);
}
{ // paused: read(n)
    const stream = tell('b', new Readable({ read() {} }));
    stream.push('hello world');
    console.log('b', String(stream.read(5)), stream.read(100), stream.readableLength, String(stream.read(1)));
    stream.unshift('big ');
    console.log('b', String(stream.read()), stream.read());
    stream.on('readable', () => {
        let chunk;
        while ((chunk = stream.read(4)) !== null)
            console.log('b', String(chunk));
        console.log('b nothing', stream.readableLength);
    });
    setImmediate(() => {
        stream.push('abcdefghij');
        setImmediate(() => stream.push(null));
    });
}
{ // demand
    let count = 0;
    const stream = tell('c', new Readable({ highWaterMark: 4, read(size) {
        console.log('c _read', size, count);
        this.push(count < 5 ? `${count++}`.repeat(3) : null);
    } }));
    stream.on('data', (chunk) => {
        console.log('c data', String(chunk));
        if (count === 3) {
            stream.pause();
            console.log('c paused', stream.isPaused());
            setImmediate(() => stream.resume());
        }
    });
}
{ // encodings
    const bytes = Buffer.from('aé€😀z');
    const stream = tell('d', new Readable({ encoding: 'utf8', read() {} }));
    for (const byte of bytes)
        stream.push(Buffer.from([byte]));
    stream.push(null);
    stream.on('data', (chunk) => console.log('d', JSON.stringify(chunk)));
    const late = tell('e', new Readable({ read() {} }));
    late.push(bytes.subarray(0, 4));
    late.setEncoding('utf8');
    late.push(bytes.subarray(4));
    late.push('c3a9', 'hex');
    late.push(null);
    console.log('e', late.readableEncoding, late.readableLength);
    late.on('data', (chunk) => console.log('e', JSON.stringify(chunk)));
}
{ // object mode
    const stream = tell('f', new Readable({ objectMode: true, highWaterMark: 2, read() {} }));
    console.log('f', [1, '', undefined, false, 0, { a: 1 }].map((value) => stream.push(value)));
    stream.push(null);
    stream.on('data', (value) => console.log('f', value));
}
{ // empty chunks
    const stream = tell('g', new Readable({ read() {} }));
    console.log('g', stream.push(''), stream.push(Buffer.alloc(0)), stream.readableLength);
    stream.push(null);
    console.log('g', stream.push(null));
    stream.resume();
}
{ // 'readable' and 'data' together
    const stream = tell('h', new Readable({ read() {} }));
    stream.on('data', (chunk) => console.log('h data', String(chunk)));
    const listener = () => { console.log('h readable', stream.readableFlowing); stream.read(); };
    stream.on('readable', listener);
    stream.push('x');
    setImmediate(() => {
        stream.removeListener('readable', listener);
        stream.push('y');
        setImmediate(() => { console.log('h', stream.readableFlowing); stream.push(null); });
    });
}
{ // raising the high water mark
    const stream = new Readable({ highWaterMark: 3, read(size) { console.log('i _read', size); this.push('xx'); } });
    console.log('i', stream.read(5), stream.readableHighWaterMark);
    setImmediate(() => console.log('i', stream.readableLength, String(stream.read(5))));
}
process.on('exit', () => console.log('exit'));
