// SPDX-License-Identifier: MIT
// streams -- the classes of the Streams Standard, and `hooks`, by which sources
// and sinks in C take part in them without a promise for each chunk.
//
// web/readable, web/bytestream, web/writable and web/transform have the classes,
// web/pipe has pipeTo() and tee().  Each public object has a private field with
// its record, a plain object that all functions work on.
//
// ---- the hooks ----
//
// const { hooks } = require('web/streams');
//
// A source is any object with the methods below, normally one with a C struct
// behind it.  The hooks call its methods synchronously, with the async context
// of whoever reads.
//
//   hooks.openReadable(source, highWaterMark = 0) -> ReadableStream, of bytes
//       No job is queued and nothing is called until somebody reads, so an
//       unread body costs one object.  highWaterMark is the number of bytes that
//       may be read ahead once somebody has read.
//
//   source.pull(stream)
//       Bytes are wanted: call push() now or later.  It is called again only
//       after a push() has returned false.
//   source.cancel(reason, stream)
//       The reader has lost interest; nothing is called after this.  A promise
//       that it returns delays the one of stream.cancel().
//
//   hooks.push(stream, bytes) -> boolean
//       Give a Uint8Array, whose buffer becomes the stream's: it may be detached.
//       True: more is wanted now.  False: stop until source.pull() is called.
//       Bytes that are pushed nevertheless are queued, or dropped if the stream
//       has ended.
//   hooks.space(stream) -> Uint8Array or undefined
//       The memory of a BYOB reader that waits, to be filled in place; follow it
//       by hooks.filled(stream, count) -> boolean, as for push(), in the same
//       callback.
//   hooks.end(stream), hooks.fail(stream, error)
//       The end of the bytes.  A second end is ignored.
//
//   The stream has a reference to its source, and the source usually to the
//   stream: a class in C marks it for the garbage collector (gc_mark).  Keep the
//   source alive while an operation of the system is outstanding, and not
//   otherwise; then a stream that was abandoned is collected with its source.
//
// A sink takes the chunks of a stream.
//
//   hooks.consume(stream, sink)
//       Lock the stream and pass its chunks on; throws if it is locked.
//   sink.write(chunk) -> boolean
//       Any value that the source has enqueued.  True: go on.  False: wait for
//       hooks.resume(stream).  Throwing cancels the stream with the error, and
//       calls sink.fail() with it.
//   sink.end(), sink.fail(error)
//       Called once, at the end.
//   hooks.resume(stream)
//       The next chunk may come: now, if one is queued.
//   hooks.stop(stream, reason)
//       The sink has failed: cancel the stream.  Neither write(), end() nor
//       fail() is called any more.
//
//   hooks.openWritable(sink, highWaterMark = 1) -> WritableStream
//   sink.write(chunk, stream), sink.close(stream), sink.abort(reason, stream)
//       True: done.  False: not yet; call hooks.done(stream) later, or
//       hooks.fail(stream, error).  One call at a time is outstanding, except
//       abort(), which comes after it.
//
// Whole bodies:
//
//   hooks.bytesOf(stream) -> promise of a Uint8Array
//       Lock it and read it to its end.  Rejects with a TypeError for a chunk
//       that is not a Uint8Array, and cancels the stream then.
//   hooks.fromBytes(bytes) -> ReadableStream of one chunk
//   hooks.tee(stream) -> [ReadableStream, ReadableStream]
//       As for the clone of a body: the second gets copies.
//   hooks.isReadable(value), hooks.isWritable(value), hooks.isDisturbed(stream),
//   hooks.isLocked(stream), hooks.stateOf(stream) -> 'readable', 'closed', ...
//       None of these can be faked or replaced by a program.
'use strict';
