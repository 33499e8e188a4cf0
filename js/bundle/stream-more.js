// The rest of Node's streams, which is loaded when it is first used.
module.exports = {
    pipeline: require('readable-stream/lib/internal/streams/pipeline.js'),
    compose: require('readable-stream/lib/internal/streams/compose.js'),
    duplexify: require('readable-stream/lib/internal/streams/duplexify.js'),
    operators: require('readable-stream/lib/internal/streams/operators.js'),
    promises: require('readable-stream/lib/stream/promises.js'),
};
