// Node's streams; js/lib/stream/stream.js asks for them.
module.exports = {
    Stream: require('readable-stream/lib/stream.js'),
    destroyImpl: require('readable-stream/lib/internal/streams/destroy.js'),
    BufferList: require('readable-stream/lib/internal/streams/buffer_list.js'),
};
