// SPDX-License-Identifier: MIT
// stream-changes -- where readable-stream differs from Node 20.20, and where it
// is slow in an interpreter.
//
// Each row is [file, what to look for, what to put there].  The second is a piece
// of the source, the name of a function, all of which is replaced, or a pattern,
// each match of which is replaced.
'use strict';

module.exports = [
    // A new stream has few properties of its own: each costs time and memory.
    // The others are in the prototype until they change.
    ['writable', 'WritableState', `
function WritableState(options, stream, isDuplex) {
  this.state = kEmitClose | kAutoDestroy | kConstructed | kSync | kDecodeStrings | kAllBuffers | kAllNoop
  this.length = 0
  this.pendingcb = 0
  this.writelen = 0
  this.writecb = null
  this.onwrite = native.onWriteOf(stream)
  this.buffered = []
  if (!options) {
    this.highWaterMark = getDefaultHighWaterMark(false)
    return
  }
  if (typeof isDuplex !== 'boolean') isDuplex = stream instanceof require('./duplex')
  if (options.objectMode || (isDuplex && options.writableObjectMode)) this.state |= kObjectMode
  this.highWaterMark = getHighWaterMark(this, options, 'writableHighWaterMark', isDuplex)
  if (options.decodeStrings === false) this.state &= ~kDecodeStrings
  if (options.emitClose === false) this.state &= ~kEmitClose
  if (options.autoDestroy === false) this.state &= ~kAutoDestroy
  if (options.defaultEncoding && options.defaultEncoding !== 'utf8') {
    if (!Buffer.isEncoding(options.defaultEncoding)) throw new ERR_UNKNOWN_ENCODING(options.defaultEncoding)
    this.defaultEncoding = options.defaultEncoding
  }
}
const kObjectMode = 1 << 0
const kFinalCalled = 1 << 1
const kNeedDrain = 1 << 2
const kEnding = 1 << 3
const kEnded = 1 << 4
const kFinished = 1 << 5
const kDestroyed = 1 << 6
const kDecodeStrings = 1 << 7
const kWriting = 1 << 8
const kSync = 1 << 9
const kBufferProcessing = 1 << 10
const kAfterWritePending = 1 << 11
const kAllBuffers = 1 << 12
const kAllNoop = 1 << 13
const kConstructed = 1 << 14
const kPrefinished = 1 << 15
const kErrorEmitted = 1 << 16
const kEmitClose = 1 << 17
const kAutoDestroy = 1 << 18
const kClosed = 1 << 19
const kCloseEmitted = 1 << 20
const kErrored = 1 << 21
const kCorked = 1 << 22
const kBuffered = 1 << 23
const kCanWrite = kWriting | kErrored | kCorked | kConstructed
function makeBitMapDescriptor(bit) {
  return {
    __proto__: null,
    enumerable: false,
    get() {
      return (this.state & bit) !== 0
    },
    set(value) {
      if (value) this.state |= bit
      else this.state &= ~bit
    }
  }
}
ObjectDefineProperties(WritableState.prototype, {
  objectMode: makeBitMapDescriptor(kObjectMode),
  finalCalled: makeBitMapDescriptor(kFinalCalled),
  needDrain: makeBitMapDescriptor(kNeedDrain),
  ending: makeBitMapDescriptor(kEnding),
  ended: makeBitMapDescriptor(kEnded),
  finished: makeBitMapDescriptor(kFinished),
  destroyed: makeBitMapDescriptor(kDestroyed),
  decodeStrings: makeBitMapDescriptor(kDecodeStrings),
  writing: makeBitMapDescriptor(kWriting),
  sync: makeBitMapDescriptor(kSync),
  bufferProcessing: makeBitMapDescriptor(kBufferProcessing),
  afterWritePending: makeBitMapDescriptor(kAfterWritePending),
  allBuffers: makeBitMapDescriptor(kAllBuffers),
  allNoop: makeBitMapDescriptor(kAllNoop),
  constructed: makeBitMapDescriptor(kConstructed),
  prefinished: makeBitMapDescriptor(kPrefinished),
  errorEmitted: makeBitMapDescriptor(kErrorEmitted),
  emitClose: makeBitMapDescriptor(kEmitClose),
  autoDestroy: makeBitMapDescriptor(kAutoDestroy),
  closed: makeBitMapDescriptor(kClosed),
  closeEmitted: makeBitMapDescriptor(kCloseEmitted),
  errored: {
    __proto__: null,
    get() {
      return (this.state & kErrored) !== 0 ? this.error : null
    },
    set(value) {
      this.error = value
      if (value) this.state |= kErrored
      else this.state &= ~kErrored
    }
  }
})
const defaults = {
  error: null,
  defaultEncoding: 'utf8',
  corked: 0,
  afterWriteTickInfo: null,
  bufferedIndex: 0,
  [kOnFinished]: null,
  onConstructed(stream) {
    if (!this.writing) clearBuffer(stream, this)
    if (this.ending) finishMaybe(stream, this)
  }
}
for (const name of Reflect.ownKeys(defaults))
  ObjectDefineProperty(WritableState.prototype, name, {
    __proto__: null,
    value: defaults[name],
    writable: true,
    configurable: true
  })
const none = []
function takeFinished(state) {
  const list = state[kOnFinished]
  if (list === null) return none
  state[kOnFinished] = null
  return list
}`],
    ['writable', 'resetBuffer', `
function resetBuffer(state) {
  state.buffered = []
  if (state.bufferedIndex !== 0) state.bufferedIndex = 0
  state.state = (state.state & ~kBuffered) | kAllBuffers | kAllNoop
}`],
    ['writable', /state\[kOnFinished\]\.splice\(0\)/g, 'takeFinished(state)'],
    ['writable', 'state[kOnFinished].push(cb)',
        ';(state[kOnFinished] || (state[kOnFinished] = [])).push(cb)'],
    ['writable', 'state[kOnFinished].length', 'state[kOnFinished] !== null'],
    ['writable', `
  destroyImpl.construct(this, () => {
    const state = this._writableState
    if (!state.writing) {
      clearBuffer(this, state)
    }
    finishMaybe(this, state)
  })`, `
  if (this._construct != null) destroyImpl.construct(this, () => this._writableState.onConstructed(this))`],
    ['readable', 'ReadableState', `
function ReadableState(options, stream, isDuplex) {
  this.state = kEmitClose | kAutoDestroy | kConstructed | kSync
  this.length = 0
  this.flowing = null
  this.buffer = new BufferList()
  this.pipes = []
  if (!options) {
    this.highWaterMark = getDefaultHighWaterMark(false)
    return
  }
  if (typeof isDuplex !== 'boolean') isDuplex = stream instanceof require('./duplex')
  if (options.objectMode || (isDuplex && options.readableObjectMode)) this.state |= kObjectMode
  this.highWaterMark = getHighWaterMark(this, options, 'readableHighWaterMark', isDuplex)
  if (options.emitClose === false) this.state &= ~kEmitClose
  if (options.autoDestroy === false) this.state &= ~kAutoDestroy
  if (options.defaultEncoding && options.defaultEncoding !== 'utf8') {
    if (!Buffer.isEncoding(options.defaultEncoding)) throw new ERR_UNKNOWN_ENCODING(options.defaultEncoding)
    this.defaultEncoding = options.defaultEncoding
  }
  if (options.encoding) {
    this.decoder = new StringDecoder(options.encoding)
    this.encoding = options.encoding
  }
}
Object.defineProperty(ReadableState.prototype, 'errored', {
  __proto__: null,
  get() {
    return (this.state & kErrored) !== 0 ? this.error : null
  },
  set(value) {
    this.error = value
    if (value) this.state |= kErrored
    else this.state &= ~kErrored
  }
})
const defaults = {
  [kPaused]: null,
  error: null,
  defaultEncoding: 'utf8',
  awaitDrainWriters: null,
  decoder: null,
  encoding: null,
  onConstructed(stream) {
    if ((this.state & kNeedReadable) !== 0) maybeReadMore(stream, this)
  }
}
for (const name of Reflect.ownKeys(defaults))
  Object.defineProperty(ReadableState.prototype, name, {
    __proto__: null,
    value: defaults[name],
    writable: true,
    configurable: true
  })`],
    ['readable', `
  destroyImpl.construct(this, () => {
    if (this._readableState.needReadable) {
      maybeReadMore(this, this._readableState)
    }
  })`, `
  if (this._construct != null) destroyImpl.construct(this, () => this._readableState.onConstructed(this))`],
    ['readable', /\} else \{\s+state\.awaitDrainWriters = null\s+\}/g,
        '} else if (state.awaitDrainWriters !== null) { state.awaitDrainWriters = null }'],
    // Both states, and the emitter once.
    ['duplex', 'Duplex', `
function Duplex(options) {
  if (!(this instanceof Duplex)) return new Duplex(options)
  this._readableState = new Readable.ReadableState(options, this, true)
  this._writableState = new Writable.WritableState(options, this, true)
  this.allowHalfOpen = true
  if (options) useOptions(this, options)
  require('./legacy').Stream.call(this, options)
  if (this._construct != null)
    require('./destroy').construct(this, () => {
      this._readableState.onConstructed(this)
      this._writableState.onConstructed(this)
    })
}
function useOptions(stream, options) {
  if (options.allowHalfOpen === false) stream.allowHalfOpen = false
  if (options.readable === false) {
    stream._readableState.readable = false
    stream._readableState.ended = true
    stream._readableState.endEmitted = true
  }
  if (options.writable === false) {
    stream._writableState.writable = false
    stream._writableState.ending = true
    stream._writableState.ended = true
    stream._writableState.finished = true
  }
  if (typeof options.read === 'function') stream._read = options.read
  if (typeof options.write === 'function') stream._write = options.write
  if (typeof options.writev === 'function') stream._writev = options.writev
  if (typeof options.destroy === 'function') stream._destroy = options.destroy
  if (typeof options.final === 'function') stream._final = options.final
  if (typeof options.construct === 'function') stream._construct = options.construct
  if (options.signal) require('./add-abort-signal').addAbortSignal(options.signal, stream)
}`],

    // Any view is a chunk, not only a Uint8Array.  The default encoding is not
    // for objects.  A chunk that was written at once does not count against the
    // high water mark.
    ['writable', '_write', `
function _write(stream, chunk, encoding, cb) {
  const state = stream._writableState
  const bits = state.state
  if (typeof cb !== 'function') cb = nop
  if (chunk === null) throw new ERR_STREAM_NULL_VALUES()
  if ((bits & kObjectMode) === 0) {
    if (encoding && encoding !== 'buffer' && !Buffer.isEncoding(encoding)) throw new ERR_UNKNOWN_ENCODING(encoding)
    if (chunk instanceof Buffer) {
      encoding = 'buffer'
    } else if (typeof chunk === 'string') {
      if (!encoding) encoding = state.defaultEncoding
      if ((bits & kDecodeStrings) !== 0) {
        chunk = Buffer.from(chunk, encoding)
        encoding = 'buffer'
      }
    } else if (ArrayBuffer.isView(chunk)) {
      chunk = Stream._uint8ArrayToBuffer(chunk)
      encoding = 'buffer'
    } else {
      throw new ERR_INVALID_ARG_TYPE('chunk', ['string', 'Buffer', 'TypedArray', 'DataView'], chunk)
    }
  }
  if ((bits & (kEnding | kDestroyed)) !== 0) {
    const err = (bits & kEnding) !== 0 ? new ERR_STREAM_WRITE_AFTER_END() : new ERR_STREAM_DESTROYED('write')
    process.nextTick(cb, err)
    errorOrDestroy(stream, err, true)
    return err
  }
  const len = (bits & kObjectMode) !== 0 ? 1 : chunk.length
  state.pendingcb++
  state.length += len
  if ((bits & kCanWrite) === kConstructed) {
    state.writelen = len
    state.writecb = cb
    state.state = bits | kWriting | kSync
    stream._write(chunk, encoding, state.onwrite)
    state.state &= ~kSync
  } else {
    state.buffered.push({ chunk, encoding, callback: cb })
    let next = bits | kBuffered
    if (encoding !== 'buffer') next &= ~kAllBuffers
    if (cb !== nop) next &= ~kAllNoop
    state.state = next
  }
  const { length } = state
  if (length !== 0 && length >= state.highWaterMark) {
    state.state |= kNeedDrain
    return false
  }
  return (state.state & (kErrored | kDestroyed)) === 0
}`],
    ['writable', 'writeOrBuffer', ''],
    ['writable', 'onwrite', `
function onwrite(stream, er) {
  const state = stream._writableState
  const cb = state.writecb
  if (cb === null) {
    errorOrDestroy(stream, new ERR_MULTIPLE_CALLBACK())
    return
  }
  const bits = (state.state &= ~kWriting)
  state.writecb = null
  state.length -= state.writelen
  if (er) failWrite(stream, state, er, cb)
  else {
    if ((bits & kBuffered) !== 0) clearBuffer(stream, state)
    if ((bits & kSync) === 0) afterWrite(stream, state, 1, cb)
    else afterSyncWrite(stream, state, cb)
  }
}
function failWrite(stream, state, er, cb) {
  if ((state.state & kErrored) === 0) state.errored = er
  if (stream._readableState && !stream._readableState.errored) stream._readableState.errored = er
  if ((state.state & kSync) !== 0) process.nextTick(onwriteError, stream, state, er, cb)
  else onwriteError(stream, state, er, cb)
}
function afterSyncWrite(stream, state, cb) {
  const bits = state.state
  if (cb !== nop) {
    if (state.afterWriteTickInfo !== null && state.afterWriteTickInfo.cb === cb) {
      state.afterWriteTickInfo.count++
      return
    }
    state.state |= kAfterWritePending
    state.afterWriteTickInfo = { count: 1, cb, stream, state }
    process.nextTick(afterWriteTick, state.afterWriteTickInfo)
  } else if (
    (bits & (kObjectMode | kNeedDrain)) !== 0 &&
    (bits & kAfterWritePending) === 0 &&
    ((bits & kObjectMode) !== 0 || state.length === 0)
  ) {
    // A tick only if somebody waits.  (Node has one for objects, too.)
    state.state |= kAfterWritePending
    process.nextTick(afterWrite, stream, state, 1, cb)
  } else {
    state.pendingcb--
    if ((bits & kEnding) !== 0) finishMaybe(stream, state, true)
  }
}`],
    ['writable', `
  this._writableState.corked++`, `
  this._writableState.corked++
  this._writableState.state |= kCorked`],
    ['writable', `
    state.corked--`, `
    if (--state.corked === 0) state.state &= ~kCorked`],
    // The common course of write() and onwrite() is in js/stream/writable.c.
    ['writable', 'Writable.prototype.write', `
function write(chunk, encoding, cb) {
  if (typeof encoding === 'function') {
    cb = encoding
    encoding = null
  }
  return _write(this, chunk, encoding, cb) === true
}
native.setUpWritable(nop, write, onwrite, Buffer.prototype, kObjectMode, kNeedDrain, kEnding, kDestroyed,
  kWriting, kSync, kAfterWritePending, kConstructed, kErrored, kCorked, kBuffered)
native.writableEnded = kEnded
Writable.prototype.write = native.write
Object.defineProperty(native.write, 'name', { value: '' })`],
    ['writable', 'afterWrite', `
function afterWrite(stream, state, count, cb) {
  state.state &= ~kAfterWritePending
  if ((state.state & (kNeedDrain | kEnding | kDestroyed)) === kNeedDrain && state.length === 0) {
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
    ['readable', 'addChunk', `
function addChunk(stream, state, chunk, addToFront) {
  let bits = state.state
  if ((bits & kSync) === 0 && state.flowing && state.length === 0 && stream._events.data !== undefined) {
    if ((bits & kMultiAwaitDrain) !== 0) state.awaitDrainWriters.clear()
    else if (state.awaitDrainWriters !== null) state.awaitDrainWriters = null
    state.state = bits | kDataEmitted
    stream.emit('data', chunk)
    bits = state.state
  } else {
    state.length += (bits & kObjectMode) !== 0 ? 1 : chunk.length
    if (addToFront) state.buffer.unshift(chunk)
    else state.buffer.push(chunk)
    if ((bits & kNeedReadable) !== 0) {
      emitReadable(stream)
      bits = state.state
    }
  }
  if ((bits & (kReadingMore | kConstructed)) === kConstructed) {
    state.state = bits | kReadingMore
    process.nextTick(maybeReadMore_, stream, state)
  }
}`],
    ['readable', 'maybeReadMore', `
function maybeReadMore(stream, state) {
  if ((state.state & (kReadingMore | kConstructed)) === kConstructed) {
    state.state |= kReadingMore
    process.nextTick(maybeReadMore_, stream, state)
  }
}`],
    // The common course of push() and read() is in js/stream/readable.c.
    ['readable', 'Readable.prototype.push', ''],
    ['readable', 'Readable.prototype.read', `
function read(n) {
  if (n === undefined) n = NaN
  else if (n !== 0 && !Number.isInteger(n)) n = NumberParseInt(n, 10)
  const state = this._readableState
  const nOrig = n
  if (n > state.highWaterMark) state.highWaterMark = computeNewHighWaterMark(n)
  const { length, highWaterMark } = state
  let bits = state.state
  if (n !== 0) {
    state.state = bits &= ~kEmittedReadable
  } else if (
    (bits & kNeedReadable) !== 0 &&
    ((highWaterMark !== 0 ? length >= highWaterMark : length > 0) || (bits & kEnded) !== 0)
  ) {
    // Only the event is wanted.
    if (length === 0 && (bits & kEnded) !== 0) endReadable(this)
    else emitReadable(this)
    return null
  }
  n = howMuchToRead(n, state)
  if (n === 0 && (bits & kEnded) !== 0) {
    if (length === 0) endReadable(this)
    return null
  }
  if (
    (bits & kMayRead) === kConstructed &&
    ((bits & kNeedReadable) !== 0 || length === 0 || length - n < highWaterMark)
  ) {
    state.state = bits | kReading | kSync | (length === 0 ? kNeedReadable : 0)
    try {
      this._read(highWaterMark)
    } catch (err) {
      errorOrDestroy(this, err)
    }
    bits = state.state &= ~kSync
    if ((bits & kReading) === 0) n = howMuchToRead(nOrig, state)
  }
  const ret = n > 0 ? fromList(n, state) : null
  if (ret === null) {
    if (state.length <= state.highWaterMark) state.state |= kNeedReadable
    n = 0
  } else {
    state.length -= n
    if ((state.state & kMultiAwaitDrain) !== 0) state.awaitDrainWriters.clear()
    else if (state.awaitDrainWriters !== null) state.awaitDrainWriters = null
  }
  bits = state.state
  if (state.length === 0) {
    if ((bits & kEnded) === 0) state.state = bits |= kNeedReadable
    else if (nOrig !== n) endReadable(this)
  }
  if (ret !== null && (bits & (kErrorEmitted | kCloseEmitted)) === 0) {
    state.state |= kDataEmitted
    this.emit('data', ret)
  }
  return ret
}
function push(chunk, encoding) {
  return readableAddChunk(this, chunk, encoding, false)
}
native.setUpReadable(push, read, maybeReadMore, emitReadable, errorOrDestroy, endReadable, fromList,
  (set) => set.clear(), Buffer.prototype, kObjectMode, kEnded, kReading, kConstructed, kSync, kNeedReadable,
  kEmittedReadable, kErrorEmitted, kDestroyed, kCloseEmitted, kMultiAwaitDrain, kReadingMore, kDataEmitted, kErrored)
native.readableEnded = kEnded
for (const name of ['push', 'read']) {
  Readable.prototype[name] = native[name]
  Object.defineProperty(native[name], 'name', { value: '' })
}`],
    // What has asked for an event is not forgotten.
    ['readable', 'emitReadable_', `
function emitReadable_(stream) {
  const state = stream._readableState
  const bits = state.state
  if ((bits & (kDestroyed | kErrored)) === 0 && (state.length !== 0 || (bits & kEnded) !== 0)) {
    stream.emit('readable')
    state.state &= ~kEmittedReadable
  }
  if (!state.flowing && (state.state & kEnded) === 0 && state.length <= state.highWaterMark)
    state.state |= kNeedReadable
  flow(stream)
}`],
    ['readable', 'howMuchToRead', `
function howMuchToRead(n, state) {
  const { length } = state
  const bits = state.state
  if (n <= 0 || (length === 0 && (bits & kEnded) !== 0)) return 0
  if ((bits & kObjectMode) !== 0) return 1
  if (n !== n) return length !== 0 && state.flowing ? state.buffer.head.data.length : length
  if (n <= length) return n
  return (bits & kEnded) !== 0 ? length : 0
}`],
    ['readable', `
    else if (state.buffer.length === 1) ret = state.buffer.first()`, `
    else if (state.buffer.length === 1) return state.buffer.shift()`],
    // Whether it has failed is one of the bits.
    ['readable', `
const kDataEmitted = 1 << 18`, `
const kDataEmitted = 1 << 18
const kErrored = 1 << 20
const kMayRead = kReading | kEnded | kDestroyed | kErrored | kConstructed`],
    ['readable', /state\.errored(?! =)/g, '((state.state & kErrored) !== 0)'],
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
    // js/stream/transform.c.  The end that a transform pushes must be seen before
    // the next write.
    ['transform', 'Transform.prototype._write', `
native.setUpTransform(kCallback, process.nextTick, native.readableEnded, native.writableEnded)
Transform.prototype._write = native.writeTransform
Object.defineProperty(native.writeTransform, 'name', { value: '' })`],
    ['transform', `
const Duplex = require('./duplex')`, `
const process = require('../../ours/util').process
const Duplex = require('./duplex')`],
    ['pipeline', `
    finishImpl(new AbortError())`, `
    finishImpl(new AbortError(undefined, { cause: outerSignal?.reason }))`],
];
