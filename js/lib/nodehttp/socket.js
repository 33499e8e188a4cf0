// SPDX-License-Identifier: MIT
// nodehttp/socket -- what request.socket is, on a server.
//
// The connection belongs to the C server.  This stream stands for it: it knows
// the addresses, times out, writes past the responses, and destroys the
// connection.  It reads nothing.
'use strict';

const { Duplex } = require('stream/stream');
const { Socket } = require('net/socket');
const timers = require('timers/timers');
const binding = require('nodehttp/binding');
const { hangUp, kIsServed } = require('nodehttp/common');

const kPeer = Symbol('peer');
const kAddresses = Symbol('addresses');
const kTimer = Symbol('timer');
const kIsGone = Symbol('isGone');

class ServerSocket extends Duplex {
    constructor(server, peer) {
        super({ allowHalfOpen: true, emitClose: false, decodeStrings: true });
        this.server = this._server = server;
        this.parser = null;
        this._httpMessage = null;
        this.timeout = 0;
        this[kPeer] = peer;
        this[kTimer] = null;
        this[kAddresses] = (peer && binding.addresses(peer)) ?? [];
        this[kIsGone] = peer === undefined;
        this[kIsServed] = true;
    }

    get remoteAddress() { return this.destroyed ? undefined : this[kAddresses][0]; }
    get remotePort() { return this.destroyed ? undefined : this[kAddresses][1]; }
    get remoteFamily() { return family(this.remoteAddress); }
    get localAddress() { return this[kAddresses][2]; }
    get localPort() { return this[kAddresses][3]; }
    get localFamily() { return family(this.localAddress); }
    get connecting() { return false; }
    get pending() { return false; }
    get readyState() { return this.destroyed ? 'closed' : 'open'; }
    get bufferSize() { return this.writableLength; }
    get bytesRead() { return 0; }
    get bytesWritten() { return 0; }
    connect() { return this; }
    address() {
        return this.localAddress === undefined ? {}
            : { address: this.localAddress, family: this.localFamily, port: this.localPort };
    }

    // The connection is that of a stream which the program has passed.
    _standFor(stream) {
        this._parent = stream;
        this[kAddresses] = [stream.remoteAddress, stream.remotePort, stream.localAddress,
            stream.localPort];
        if (stream.encrypted && !this.encrypted)
            this.encrypted = true;
    }

    setNoDelay() { return this; }
    setKeepAlive() { return this; }
    ref() { return this; }
    unref() { return this; }

    setTimeout(msecs, callback) {
        if (this.destroyed)
            return this;
        this.timeout = msecs;
        timers.clearTimeout(this[kTimer]);
        this[kTimer] = null;
        if (msecs > 0)
            this[kTimer] = timers.setTimeout(expire, msecs, this).unref();
        if (callback !== undefined)
            if (msecs > 0)
                this.once('timeout', callback);
            else
                this.removeListener('timeout', callback);
        return this;
    }

    // Something has happened on the connection.
    _touch() {
        this[kTimer]?.refresh();
    }

    _read() {}

    _write(chunk, encoding, callback) {
        this._touch();
        const status = binding.writePeer(this[kPeer], chunk);
        callback(status === 0 ? null : hangUp('write after the connection was closed'));
    }

    _final(callback) {
        binding.closePeer(this[kPeer], false);
        callback();
    }

    destroySoon() {
        if (this.writable)
            this.end();
        if (this.writableFinished)
            this.destroy();
        else
            this.once('finish', this.destroy);
    }

    resetAndDestroy() {
        return this.destroy();
    }

    _destroy(error, callback) {
        timers.clearTimeout(this[kTimer]);
        this[kTimer] = null;
        if (!this[kIsGone])
            binding.closePeer(this[kPeer], true);
        callback(error);
        if (this[kIsGone])
            this.emit('close', Boolean(error));
    }
}

// Programs ask whether it is a net.Socket.
Object.setPrototypeOf(ServerSocket.prototype, Socket.prototype);

function family(address) {
    return address === undefined ? undefined : address.includes(':') ? 'IPv6' : 'IPv4';
}

function expire(socket) {
    socket[kTimer] = null;
    socket.emit('timeout');
}

// The connection has ended.
function disconnected(socket) {
    socket[kIsGone] = true;
    if (!socket.destroyed) {
        socket.push(null);
        socket.destroy();
    } else {
        socket.emit('close', false);
    }
}

module.exports = { ServerSocket, disconnected, kPeer, kIsGone };
