'use strict';
const { PNG } = require('pngjs');

const png = new PNG({ width: 20, height: 10 });
for (let at = 0; at < png.data.length; at++)
    png.data[at] = at % 4 === 3 ? 255 : at * 7 % 256;
const bytes = PNG.sync.write(png);
const read = PNG.sync.read(bytes);
console.log(read.width, read.height, read.depth, read.colorType, read.data.equals(png.data));
const gray = PNG.sync.read(PNG.sync.write(png, { colorType: 0 }));
console.log(gray.colorType, gray.data.subarray(0, 8));
const chunks = [];
png.pack().on('data', (chunk) => chunks.push(chunk)).on('end', () => {
    const parsed = new PNG();
    parsed.parse(Buffer.concat(chunks), (error, image) => {
        console.log(error, image.width, image.data.equals(png.data));
        image.adjustGamma();
        const part = new PNG({ width: 5, height: 5 });
        PNG.bitblt(image, part, 2, 2, 5, 5, 0, 0);
        console.log(part.data.subarray(0, 12));
        new PNG().parse(Buffer.from('not a picture'), (failure) => console.log(failure.message));
    });
});
