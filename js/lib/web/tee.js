// SPDX-License-Identifier: MIT
// tee -- two streams with the chunks of one.
'use strict';

const { later, newPromise, react } = require('web/base');
const { BYOB, DEFAULT, Readable, cancelStream, closedOf, lock, read, release } =
    require('web/readablestate');
const { DefaultController, startController } = require('web/controller');
const { ByteController } = require('web/bytestream');
const { requestOf } = require('web/bytecontroller');
const { readInto } = require('web/reader');
const { copyOf } = require('web/views');

// What both kinds share.  `branches` are two records.
class Tee {
    isReading = false;
    isReadWanted = [false, false];
    isCancelled = [false, false];
    reasons = [undefined, undefined];
    cancelled = newPromise();
    branches = [];

    constructor(stream) {
        this.stream = stream;
        this.reader = lock(stream, DEFAULT);
    }

    cancel(which, reason) {
        this.isCancelled[which] = true;
        this.reasons[which] = reason;
        if (this.isCancelled[1 - which])
            this.cancelled.resolve(cancelStream(this.stream, this.reasons));
        return this.cancelled.promise;
    }

    // Both fail with the source.
    watch() {
        const { reader } = this;
        react(closedOf(reader), () => {}, (_, reason) => {
            if (this.reader !== reader)
                return;
            for (const { controller } of this.branches)
                controller.error(reason);
            if (!this.isCancelled[0] || !this.isCancelled[1])
                this.cancelled.resolve(undefined);
        });
    }
}

class DefaultTee extends Tee {
    constructor(stream, isCloned) {
        super(stream);
        this.isCloned = isCloned;
    }

    pull() {
        if (this.isReading) {
            this.isReadWanted[0] = true;
            return;
        }
        this.isReading = true;
        read(this.stream, this);
    }

    // In a job, so that closed, errored and cancelled come in their order.
    chunk(chunk) {
        later(() => {
            this.isReadWanted[0] = false;
            let second = chunk;
            if (this.isCloned && !this.isCancelled[1])
                try {
                    second = require('messages/clone')(chunk);
                } catch (error) {
                    this.fail(error);
                    return;
                }
            [chunk, second].forEach((one, i) => {
                if (!this.isCancelled[i])
                    this.branches[i].controller.enqueue(one);
            });
            this.isReading = false;
            if (this.isReadWanted[0])
                this.pull();
        });
    }

    fail(error) {
        for (const { controller } of this.branches)
            controller.error(error);
        this.cancelled.resolve(cancelStream(this.stream, error));
    }

    close() {
        this.isReading = false;
        this.branches.forEach(({ controller }, i) => {
            if (!this.isCancelled[i] && controller.canEnqueue())
                controller.close();
        });
        if (!this.isCancelled[0] || !this.isCancelled[1])
            this.cancelled.resolve(undefined);
    }

    error() { this.isReading = false; }
}

function teeDefault(stream, isCloned, adopt) {
    const tee = new DefaultTee(stream, isCloned);
    for (const which of [0, 1]) {
        const branch = new Readable();
        tee.branches.push(branch);
        adopt(branch);
        startController(new DefaultController(branch, undefined, () => tee.pull(),
            (reason) => tee.cancel(which, reason), 1, undefined), undefined);
    }
    tee.watch();
    return tee.branches;
}

// ---- bytes ----

class ByteTee extends Tee {
    // Change between the kinds of readers.
    use(kind) {
        if (this.reader.kind === kind)
            return;
        release(this.reader);
        this.reader = lock(this.stream, kind);
        this.watch();
    }

    pull(which) {
        if (this.isReading) {
            this.isReadWanted[which] = true;
            return;
        }
        this.isReading = true;
        const request = requestOf(this.branches[which].controller);
        if (request === null) {
            this.use(DEFAULT);
            read(this.stream, new ChunkForBoth(this));
        } else {
            this.use(BYOB);
            readInto(this.stream, request.view, 1, new BytesForOne(this, which));
        }
    }

    pullAgain() {
        this.isReading = false;
        if (this.isReadWanted[0])
            this.pull(0);
        else if (this.isReadWanted[1])
            this.pull(1);
    }

    fail(error) {
        for (const { controller } of this.branches)
            controller.error(error);
        this.cancelled.resolve(cancelStream(this.stream, error));
    }

    enqueue(which, view) {
        const { buffer, byteOffset, byteLength } = view;
        this.branches[which].controller.enqueue(buffer, byteOffset, byteLength);
    }

    end() {
        if (!this.isCancelled[0] || !this.isCancelled[1])
            this.cancelled.resolve(undefined);
    }
}

class ChunkForBoth {
    next = null;
    constructor(tee) {
        this.tee = tee;
    }

    chunk(chunk) {
        const { tee } = this;
        later(() => {
            tee.isReadWanted = [false, false];
            let second = chunk;
            if (!tee.isCancelled[0] && !tee.isCancelled[1])
                try {
                    second = copyOf(chunk);
                } catch (error) {
                    tee.fail(error);
                    return;
                }
            [chunk, second].forEach((one, i) => {
                if (!tee.isCancelled[i])
                    tee.enqueue(i, one);
            });
            tee.pullAgain();
        });
    }

    close() {
        const { tee } = this;
        tee.isReading = false;
        tee.branches.forEach(({ controller }, i) => {
            if (!tee.isCancelled[i])
                controller.close();
        });
        for (const { controller } of tee.branches)
            if (controller.places.length > 0)
                controller.respond(0);
        tee.end();
    }

    error() { this.tee.isReading = false; }
}

// Read into the memory of one branch; the other gets a copy.
class BytesForOne {
    next = null;
    constructor(tee, which) {
        this.tee = tee;
        this.which = which;
    }

    chunk(chunk) {
        const { tee, which } = this, other = 1 - which;
        later(() => {
            tee.isReadWanted = [false, false];
            const { controller } = tee.branches[which];
            if (!tee.isCancelled[other]) {
                let copied;
                try {
                    copied = copyOf(chunk);
                } catch (error) {
                    tee.fail(error);
                    return;
                }
                if (!tee.isCancelled[which])
                    controller.respondWithView(chunk);
                tee.enqueue(other, copied);
            } else if (!tee.isCancelled[which]) {
                controller.respondWithView(chunk);
            }
            tee.pullAgain();
        });
    }

    close(chunk) {
        const { tee, which } = this, other = 1 - which;
        tee.isReading = false;
        for (const i of [which, other])
            if (!tee.isCancelled[i])
                tee.branches[i].controller.close();
        if (chunk !== undefined) {
            if (!tee.isCancelled[which])
                tee.branches[which].controller.respondWithView(chunk);
            const { controller } = tee.branches[other];
            if (!tee.isCancelled[other] && controller.places.length > 0)
                controller.respond(0);
        }
        tee.end();
    }

    error() { this.tee.isReading = false; }
}

function teeBytes(stream, adopt) {
    const tee = new ByteTee(stream);
    for (const which of [0, 1]) {
        const branch = new Readable();
        tee.branches.push(branch);
        adopt(branch);
        startController(new ByteController(branch, undefined, () => tee.pull(which),
            (reason) => tee.cancel(which, reason), 0, undefined, false), undefined);
    }
    tee.watch();
    return tee.branches;
}

function tee(stream, isCloned, adopt) {
    return stream.controller instanceof ByteController ? teeBytes(stream, adopt)
        : teeDefault(stream, isCloned, adopt);
}

module.exports = { tee };
