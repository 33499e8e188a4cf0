'use strict';
const { createHash } = require('node:crypto');
const jpeg = require('jpeg-js');

const [width, height] = [40, 30];
const data = Buffer.alloc(width * height * 4);
for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
        data.set([x * 6, y * 8, (x + y) * 3, 255], (y * width + x) * 4);
for (const quality of [20, 90]) {
    const made = jpeg.encode({ data, width, height }, quality);
    const sum = (bytes) => createHash('sha256').update(bytes).digest('hex').slice(0, 16);
    const read = jpeg.decode(made.data);
    console.log(quality, made.data.length, sum(made.data), read.width, read.height, sum(read.data));
    console.log(jpeg.decode(made.data, { useTArray: true, formatAsRGBA: false }).data.length);
}
try {
    jpeg.decode(Buffer.from('nothing'));
} catch (error) {
    console.log(error.message);
}
