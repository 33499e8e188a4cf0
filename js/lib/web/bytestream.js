// SPDX-License-Identifier: MIT
// bytestream -- ReadableByteStreamController: a queue of bytes, which can be read
// into the memory of a BYOB reader.
//
// A controller without `isNative` is the standard's.  With it, the source is one
// of the host's (web/streams): its pull() is called once for many chunks, and the
// buffers that it gives are the stream's own already.
'use strict';

const { List, attempt, invalidState, invalidValue } = require('web/base');
const { callPull } = require('web/controller');
const { closeStream, errorStream, fulfillRequest, hasByobReader, hasDefaultReader,
    hasRequests } = require('web/readablestate');
const { copy, isDetached, partsOf, transfer } = require('web/views');

// `view` is what was given, if it can be passed on as it is.
class Bytes {
    next = null;
    constructor(buffer, offset, length, view) {
        this.buffer = buffer;
        this.offset = offset;
        this.length = length;
        this.view = view;
    }
}

// A place for bytes, of a BYOB reader or allocated for a request.  isOrphan: the
// reader was released meanwhile.
class Place {
    next = null;
    filled = 0;
    isOrphan = false;
    constructor(buffer, offset, length, minimum, elementSize, View) {
        this.buffer = buffer;
        this.bufferLength = buffer.byteLength;
        this.offset = offset;
        this.length = length;
        this.minimum = minimum;
        this.elementSize = elementSize;
        this.View = View;
    }

    toView() {
        return new this.View(transfer(this.buffer), this.offset,
            this.filled / this.elementSize);
    }
}

class ByteController {
    object = null;
    queue = new List();
    total = 0;
    places = new List();
    request = null; // the ReadableStreamBYOBRequest of the first place
    isStarted = false;
    isClosing = false;
    isPulling = false;
    isPullWanted = false;

    constructor(stream, source, pull, cancel, highWaterMark, autoAllocate, isNative) {
        this.stream = stream;
        this.source = source;
        this.pull = pull;
        this.cancel = cancel;
        this.highWaterMark = highWaterMark;
        this.autoAllocate = autoAllocate;
        this.isNative = isNative;
        stream.controller = this;
    }

    clear() {
        this.pull = this.cancel = this.source = undefined;
    }

    desiredSize() {
        const { state } = this.stream;
        return state === 'readable' ? this.highWaterMark - this.total
            : state === 'closed' ? 0 : null;
    }

    shouldPull() {
        return this.isStarted && !this.isClosing && this.stream.state === 'readable' &&
            (hasRequests(this.stream) || this.highWaterMark > this.total);
    }

    // Ask the source for more.  A native one goes on until it is told to stop.
    callPull() {
        if (!this.isNative) {
            callPull(this);
        } else if (!this.isPulling && this.shouldPull()) {
            this.isPulling = true;
            try {
                this.source.pull(this.stream.object);
            } catch (error) {
                this.error(error);
            }
        }
    }

    // ---- the queue ----

    add(buffer, offset, length, view) {
        this.queue.push(new Bytes(buffer, offset, length, view));
        this.total += length;
    }

    // A copy of bytes in a buffer that is needed otherwise.
    addCopy(buffer, offset, length) {
        this.add(buffer.slice(offset, offset + length), 0, length, null);
    }

    reset() {
        this.queue = new List();
        this.total = 0;
    }

    drained() {
        if (this.total === 0 && this.isClosing) {
            this.clear();
            closeStream(this.stream);
        } else {
            this.callPull();
        }
    }

    hasChunk() {
        return this.total > 0;
    }

    take() {
        const { buffer, offset, length, view } = this.queue.shift();
        this.total -= length;
        this.drained();
        return view ?? new Uint8Array(buffer, offset, length);
    }

    // ---- what the source calls ----

    enqueue(buffer, offset, length, view = null) {
        const { stream } = this;
        if (this.places.length > 0)
            this.takePlaceBack();
        if (hasDefaultReader(stream)) {
            this.serveRequests();
            if (stream.reader.requests.length === 0) {
                this.add(buffer, offset, length, view);
            } else {
                if (this.places.length > 0)
                    this.places.shift();
                fulfillRequest(stream, view ?? new Uint8Array(buffer, offset, length), false);
            }
        } else {
            this.add(buffer, offset, length, view);
            if (hasByobReader(stream))
                this.commitAll(this.fillPlaces());
        }
        this.callPull();
    }

    // The source answers by a chunk of its own, not through the BYOB request.
    takePlaceBack() {
        const { first } = this.places;
        if (isDetached(first.buffer))
            throw invalidState('Destination ArrayBuffer is detached');
        this.invalidateRequest();
        first.buffer = transfer(first.buffer);
        if (first.isOrphan)
            this.queueOrphan(first);
    }

    // Serve those who wait from the queue.
    serveRequests() {
        const { requests } = this.stream.reader;
        while (requests.length > 0 && this.total > 0)
            requests.shift().chunk(this.take());
    }

    close() {
        if (this.isClosing || this.stream.state !== 'readable')
            return;
        if (this.total > 0) {
            this.isClosing = true;
            return;
        }
        const { first } = this.places;
        if (first !== null && first.filled % first.elementSize !== 0) {
            const error = invalidState('Partial read');
            this.error(error);
            throw error;
        }
        this.clear();
        closeStream(this.stream);
    }

    error(reason) {
        if (this.stream.state !== 'readable')
            return;
        this.dropPlaces();
        this.reset();
        this.clear();
        errorStream(this.stream, reason);
    }

    // ---- places ----

    dropPlaces() {
        this.invalidateRequest();
        this.places = new List();
    }

    invalidateRequest() {
        if (this.request === null)
            return;
        this.request.invalidate();
        this.request = null;
    }

    // Fill places from the queue, and return those that are ready.
    fillPlaces() {
        const ready = [];
        while (this.places.length > 0 && this.total > 0 && this.fill(this.places.first))
            ready.push(this.places.shift());
        return ready;
    }

    // True: it has as much as it wants at least, in whole elements.
    fill(place) {
        const most = place.filled + Math.min(this.total, place.length - place.filled);
        const whole = most - most % place.elementSize;
        const isReady = whole >= place.minimum;
        let rest = (isReady ? whole : most) - place.filled;
        while (rest > 0) {
            const { first } = this.queue, count = Math.min(rest, first.length);
            copy(place.buffer, place.offset + place.filled, first.buffer, first.offset, count);
            if (first.length === count) {
                this.queue.shift();
            } else {
                first.offset += count;
                first.length -= count;
                first.view = null;
            }
            this.total -= count;
            place.filled += count;
            rest -= count;
        }
        return isReady;
    }

    commit(place) {
        const isDone = this.stream.state === 'closed';
        fulfillRequest(this.stream, place.toView(), isDone);
    }

    commitAll(places) {
        for (const place of places)
            this.commit(place);
    }

    // What a released reader's memory has got belongs to the next reader.
    queueOrphan(place) {
        if (place.filled > 0)
            this.addCopy(place.buffer, place.offset, place.filled);
        this.places.shift();
    }

    // ---- what the reader calls ----

    pullSteps(request) {
        if (this.total > 0) {
            request.chunk(this.take());
            return;
        }
        const { autoAllocate } = this;
        if (autoAllocate !== undefined) {
            let buffer;
            try {
                buffer = new ArrayBuffer(autoAllocate);
            } catch (error) {
                request.error(error);
                return;
            }
            this.places.push(new Place(buffer, 0, autoAllocate, 1, 1, Uint8Array));
        }
        this.stream.reader.requests.push(request);
        this.callPull();
    }

    pullInto(view, minimum, request) {
        const { buffer, offset, length, elementSize, View } = partsOf(view);
        let place;
        try {
            place = new Place(transfer(buffer), offset, length, minimum * elementSize,
                elementSize, View);
        } catch (error) {
            request.error(error);
            return;
        }
        if (this.places.length === 0) {
            if (this.stream.state === 'closed') {
                request.close(new View(place.buffer, offset, 0));
                return;
            }
            if (this.total > 0 && this.readQueued(place, request))
                return;
        }
        this.places.push(place);
        this.stream.reader.requests.push(request);
        if (this.places.length === 1)
            this.callPull();
    }

    readQueued(place, request) {
        if (this.fill(place)) {
            const view = place.toView();
            this.drained();
            request.chunk(view);
            return true;
        }
        if (!this.isClosing)
            return false;
        const error = invalidState('ReadableStream closed');
        this.error(error);
        request.error(error);
        return true;
    }

    cancelSteps(reason) {
        this.dropPlaces();
        this.reset();
        const { cancel, source, isNative, stream } = this;
        const result = cancel === undefined ? undefined
            : attempt(cancel, source, reason, isNative ? stream.object : undefined);
        this.clear();
        return result;
    }

    releaseSteps() {
        const { first } = this.places;
        if (first === null)
            return;
        first.isOrphan = true;
        this.places = new List();
        this.places.push(first);
    }

    // ---- answers through the BYOB request ----

    respond(count) {
        const { first } = this.places;
        if (this.stream.state === 'closed') {
            if (count !== 0)
                throw invalidState('Controller is closed');
        } else {
            if (count === 0)
                throw invalidValue(TypeError, 'bytesWritten', count);
            if (first.filled + count > first.length)
                throw invalidValue(RangeError, 'bytesWritten', count);
        }
        first.buffer = transfer(first.buffer);
        this.respondWith(count);
    }

    respondWithView(view) {
        const { first } = this.places, { buffer, offset, length } = partsOf(view);
        if (this.stream.state === 'closed') {
            if (length !== 0)
                throw invalidState('View is not zero-length');
        } else if (length === 0) {
            throw invalidState('View is zero-length');
        }
        if (first.offset + first.filled !== offset)
            throw invalidValue(RangeError, 'view', view);
        if (first.bufferLength !== buffer.byteLength)
            throw invalidValue(RangeError, 'view', view);
        if (first.filled + length > first.length)
            throw invalidValue(RangeError, 'view', view);
        first.buffer = transfer(buffer);
        this.respondWith(length);
    }

    respondWith(count) {
        const { first } = this.places;
        this.invalidateRequest();
        if (this.stream.state === 'closed')
            this.respondClosed(first);
        else
            this.respondReadable(first, count);
        this.callPull();
    }

    respondClosed(place) {
        if (place.isOrphan)
            this.places.shift();
        if (!hasByobReader(this.stream))
            return;
        const ready = [];
        while (ready.length < this.stream.reader.requests.length)
            ready.push(this.places.shift());
        this.commitAll(ready);
    }

    respondReadable(place, count) {
        place.filled += count;
        if (place.isOrphan) {
            this.queueOrphan(place);
            this.commitAll(this.fillPlaces());
            return;
        }
        if (place.filled < place.minimum)
            return;
        this.places.shift();
        const rest = place.filled % place.elementSize;
        if (rest > 0) {
            const end = place.offset + place.filled;
            this.addCopy(place.buffer, end - rest, rest);
            place.filled -= rest;
        }
        const ready = this.fillPlaces();
        this.commit(place);
        this.commitAll(ready);
    }
}

module.exports = { ByteController };
