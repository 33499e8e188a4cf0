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
  this.length = 0
  this.pendingcb = 0
  this.writing = false
  this.sync = true
  this.writelen = 0
  this.writecb = null
  this.onwrite = onwrite.bind(undefined, stream)
  this.buffered = []
  if (!options) {
    this.highWaterMark = getDefaultHighWaterMark(false)
    return
  }
  if (typeof isDuplex !== 'boolean') isDuplex = stream instanceof require('./duplex')
  if (options.objectMode || (isDuplex && options.writableObjectMode)) this.objectMode = true
  this.highWaterMark = getHighWaterMark(this, options, 'writableHighWaterMark', isDuplex)
  if (options.decodeStrings === false) this.decodeStrings = false
  if (options.emitClose === false) this.emitClose = false
  if (options.autoDestroy === false) this.autoDestroy = false
  if (options.defaultEncoding && options.defaultEncoding !== 'utf8') {
    if (!Buffer.isEncoding(options.defaultEncoding)) throw new ERR_UNKNOWN_ENCODING(options.defaultEncoding)
    this.defaultEncoding = options.defaultEncoding
  }
}
const defaults = {
  objectMode: false,
  finalCalled: false,
  needDrain: false,
  ending: false,
  ended: false,
  finished: false,
  destroyed: false,
  decodeStrings: true,
  defaultEncoding: 'utf8',
  corked: 0,
  bufferProcessing: false,
  afterWriteTickInfo: null,
  afterWritePending: false,
  bufferedIndex: 0,
  allBuffers: true,
  allNoop: true,
  constructed: true,
  prefinished: false,
  errorEmitted: false,
  emitClose: true,
  autoDestroy: true,
  errored: null,
  closed: false,
  closeEmitted: false,
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
  if (!state.allBuffers) state.allBuffers = true
  if (!state.allNoop) state.allNoop = true
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
const defaults = {
  [kPaused]: null,
  errored: null,
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
    ['writable', 'afterWrite', `
function afterWrite(stream, state, count, cb) {
  if (state.afterWritePending) state.afterWritePending = false
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
