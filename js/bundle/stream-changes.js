// SPDX-License-Identifier: MIT
// stream-changes -- where readable-stream differs from Node 20.20, and where it
// is slow in an interpreter.
//
// Each row is [file, what to look for, what to put there].  The first is a piece
// of the source, or the name of a function, all of which is replaced.
'use strict';

module.exports = [
    // Any view is a chunk, not only a Uint8Array.  The default encoding is not
    // for objects.
    ['writable', '_write', `
function _write(stream, chunk, encoding, cb) {
  const state = stream._writableState
  if (typeof cb !== 'function') cb = nop
  if (chunk === null) throw new ERR_STREAM_NULL_VALUES()
  if (!state.objectMode) {
    if (!encoding) encoding = state.defaultEncoding
    else if (encoding !== 'buffer' && !Buffer.isEncoding(encoding)) throw new ERR_UNKNOWN_ENCODING(encoding)
    if (typeof chunk === 'string') {
      if (state.decodeStrings !== false) {
        chunk = Buffer.from(chunk, encoding)
        encoding = 'buffer'
      }
    } else if (ArrayBuffer.isView(chunk)) {
      if (!(chunk instanceof Buffer)) chunk = Stream._uint8ArrayToBuffer(chunk)
      encoding = 'buffer'
    } else {
      throw new ERR_INVALID_ARG_TYPE('chunk', ['string', 'Buffer', 'TypedArray', 'DataView'], chunk)
    }
  }
  if (state.ending || state.destroyed) {
    const err = state.ending ? new ERR_STREAM_WRITE_AFTER_END() : new ERR_STREAM_DESTROYED('write')
    process.nextTick(cb, err)
    errorOrDestroy(stream, err, true)
    return err
  }
  state.pendingcb++
  return writeOrBuffer(stream, state, chunk, encoding, cb)
}`],
    ['writable', `  return _write(this, chunk, encoding, cb) === true`, `
  if (typeof encoding === 'function') {
    cb = encoding
    encoding = null
  }
  return _write(this, chunk, encoding, cb) === true`],
    // A chunk that was written at once does not count against the high water
    // mark.
    ['writable', `
  // stream._write resets state.length
  const ret = state.length < state.highWaterMark
  // We must ensure that previous needDrain will not be reset to false.
  if (!ret) state.needDrain = true`, ''],
    ['writable', `
  return ret && !state.errored && !state.destroyed`, `
  if (state.length >= state.highWaterMark && state.length !== 0) {
    state.needDrain = true
    return false
  }
  return !state.errored && !state.destroyed`],
    // No tick after a synchronous write that nobody waits for.  (Node has one
    // for objects.)
    ['writable', `
      if (state.afterWriteTickInfo !== null &&`, `
      if (cb === nop) {
        if (!state.afterWritePending && (state.objectMode || (state.needDrain && state.length === 0))) {
          state.afterWritePending = true
          process.nextTick(afterWrite, stream, state, 1, cb)
        } else {
          state.pendingcb--
          if (state.ending) finishMaybe(stream, state, true)
        }
      } else if (state.afterWriteTickInfo !== null &&`],
    ['writable', `
        state.afterWriteTickInfo = {`, `
        state.afterWritePending = true
        state.afterWriteTickInfo = {`],
    ['writable', `
  this.afterWriteTickInfo = null`, `
  this.afterWriteTickInfo = null
  this.afterWritePending = false`],
    ['writable', 'afterWrite', `
function afterWrite(stream, state, count, cb) {
  state.afterWritePending = false
  if (state.needDrain && state.length === 0 && !state.ending && !state.destroyed) {
    state.needDrain = false
    stream.emit('drain')
  }
  while (count-- > 0) {
    state.pendingcb--
    cb(null)
  }
  if (state.destroyed) errorBuffer(state)
  if (state.ending) finishMaybe(stream, state, true)
}`],
    // The callbacks of end().
    ['writable', `
    if (err || state.finished) {
      process.nextTick(cb, err)`, `
    if (err || state.errored || state.finished) {
      process.nextTick(cb, err || state.errored)`],
    ['writable', `
    onfinishCallbacks[i]()`, `
    onfinishCallbacks[i](null)`],

    ['readable', 'readableAddChunk', `
function readableAddChunk(stream, chunk, encoding, addToFront) {
  const state = stream._readableState
  if (chunk === null) {
    state.state &= ~kReading
    onEofChunk(stream, state)
    return false
  }
  if ((state.state & kObjectMode) === 0) {
    if (typeof chunk === 'string') {
      encoding = encoding || state.defaultEncoding
      if (state.encoding !== encoding) {
        chunk = Buffer.from(chunk, encoding)
        if (addToFront && state.encoding) chunk = chunk.toString(state.encoding)
        else encoding = ''
      }
    } else if (ArrayBuffer.isView(chunk)) {
      if (!(chunk instanceof Buffer)) chunk = Stream._uint8ArrayToBuffer(chunk)
      encoding = ''
    } else if (chunk !== undefined) {
      errorOrDestroy(
        stream,
        new ERR_INVALID_ARG_TYPE('chunk', ['string', 'Buffer', 'TypedArray', 'DataView'], chunk)
      )
      return false
    }
    if (!chunk || chunk.length <= 0) {
      if (!addToFront) {
        state.state &= ~kReading
        maybeReadMore(stream, state)
      }
      return canPushMore(state)
    }
  }
  if (addToFront) {
    if ((state.state & kEndEmitted) !== 0) errorOrDestroy(stream, new ERR_STREAM_UNSHIFT_AFTER_END_EVENT())
    else if ((state.state & kDestroyed) !== 0 || state.errored) return false
    else addChunk(stream, state, chunk, true)
    return canPushMore(state)
  }
  if ((state.state & kEnded) !== 0) {
    errorOrDestroy(stream, new ERR_STREAM_PUSH_AFTER_EOF())
    return false
  }
  if ((state.state & kDestroyed) !== 0 || state.errored) return false
  state.state &= ~kReading
  if (state.decoder !== null && !encoding) {
    chunk = state.decoder.write(chunk)
    if (chunk.length === 0 && (state.state & kObjectMode) === 0) {
      maybeReadMore(stream, state)
      return canPushMore(state)
    }
  }
  addChunk(stream, state, chunk, false)
  return canPushMore(state)
}
function canPushMore(state) {
  return (state.state & kEnded) === 0 && (state.length < state.highWaterMark || state.length === 0)
}`],
    // The number of listeners is not needed, only whether there are any.
    ['readable', `!state.sync && stream.listenerCount('data') > 0`,
        `!state.sync && stream._events.data !== undefined`],
    ['writable', `
  this.defaultEncoding = (options && options.defaultEncoding) || 'utf8'`, `
  this.defaultEncoding = (options && options.defaultEncoding) || 'utf8'
  if (this.defaultEncoding !== 'utf8' && !Buffer.isEncoding(this.defaultEncoding))
    throw new ERR_UNKNOWN_ENCODING(this.defaultEncoding)`],
    ['readable', `
  this.defaultEncoding = (options && options.defaultEncoding) || 'utf8'`, `
  this.defaultEncoding = (options && options.defaultEncoding) || 'utf8'
  if (this.defaultEncoding !== 'utf8' && !Buffer.isEncoding(this.defaultEncoding))
    throw new ERR_UNKNOWN_ENCODING(this.defaultEncoding)`],
    ['readable', `
    ERR_STREAM_UNSHIFT_AFTER_END_EVENT
  },`, `
    ERR_STREAM_UNSHIFT_AFTER_END_EVENT,
    ERR_UNKNOWN_ENCODING
  },`],
    // The writes that wait end with an error, as those of a Writable.
    ['duplex', `
module.exports = Duplex`, `
module.exports = Duplex
Duplex.prototype.destroy = require('./writable').prototype.destroy`],
    // A write after the construction must not overtake those that wait for it.
    ['destroy', `
      process.nextTick(emitConstructNT, stream)`, `
      stream.emit(kConstruct)`],
    // The end that a transform pushes must be seen before the next write.
    ['transform', `
    if (
      wState.ended ||`, `
    if (rState.ended) {
      process.nextTick(callback)
    } else if (
      wState.ended ||`],
    ['pipeline', `
    finishImpl(new AbortError())`, `
    finishImpl(new AbortError(undefined, { cause: outerSignal?.reason }))`],
];
