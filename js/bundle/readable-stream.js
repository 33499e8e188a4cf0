// The classes of Node's streams, file by file; js/lib/stream/stream.js asks for
// them.
module.exports = {
    legacy: require('readable-stream/lib/internal/streams/legacy.js'),
    readable: require('readable-stream/lib/internal/streams/readable.js'),
    writable: require('readable-stream/lib/internal/streams/writable.js'),
    duplex: require('readable-stream/lib/internal/streams/duplex.js'),
    transform: require('readable-stream/lib/internal/streams/transform.js'),
    passthrough: require('readable-stream/lib/internal/streams/passthrough.js'),
    'add-abort-signal': require('readable-stream/lib/internal/streams/add-abort-signal.js'),
    destroy: require('readable-stream/lib/internal/streams/destroy.js'),
    'end-of-stream': require('readable-stream/lib/internal/streams/end-of-stream.js'),
    from: require('readable-stream/lib/internal/streams/from.js'),
    state: require('readable-stream/lib/internal/streams/state.js'),
    utils: require('readable-stream/lib/internal/streams/utils.js'),
};
