'use strict';
const { createHash } = require('node:crypto');
const { Jimp, JimpMime, diff, intToRGBA } = require('jimp');

const sum = (image) => createHash('sha256').update(image.bitmap.data).digest('hex').slice(0, 16);

(async () => {
    const image = new Jimp({ width: 64, height: 48, color: 0x336699ff });
    image.scan((x, y, at) => { image.bitmap.data[at] = (x * 4 + y) % 256; });
    console.log(image.width, image.height, sum(image));
    for (const [name, ...args] of [['resize', { w: 32, h: 24 }], ['rotate', 90], ['greyscale'],
        ['crop', { x: 4, y: 4, w: 10, h: 8 }], ['invert'], ['flip', { horizontal: true }],
        ['contrast', 0.3], ['brightness', 1.2], ['blur', 2], ['cover', { w: 20, h: 20 }]]) {
        const made = image.clone()[name](...args);
        console.log(name, made.width, made.height, sum(made));
    }
    for (const type of [JimpMime.png, JimpMime.jpeg, JimpMime.bmp, JimpMime.gif, JimpMime.tiff]) {
        const read = await Jimp.read(await image.getBuffer(type));
        console.log(type, read.mime, read.width, read.height, sum(read));
    }
    console.log(intToRGBA(image.getPixelColor(3, 3)), image.hasAlpha());
    console.log(diff(image, image.clone().invert()).percent, image.hash());
    await Jimp.read(Buffer.from('nothing')).catch((error) => console.log(error.message));
})();
