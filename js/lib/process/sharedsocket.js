// SPDX-License-Identifier: MIT
// process/sharedsocket -- a socket that the primary of a cluster has bound, and
// gives to its workers: UDP, or every socket with SCHED_NONE.  The workers listen
// on it, and the kernel decides which of them accepts.
'use strict';

const { bindTcp, bindUdp, bindPath, duplicate } = require('net/descriptor');

const UDP = new Set(['udp4', 'udp6']);
const REUSE_ADDRESS = 4, IPV6_ONLY = 1; // of Node's flags

function bindAny(port) {
    const found = bindTcp('::', port, false);
    return typeof found === 'number' ? bindTcp('0.0.0.0', port, false) : found;
}

// A descriptor, or -errno.
function bind(address, { port, addressType, fd, flags, readableAll, writableAll }) {
    const isIpv6Only = Boolean(flags & IPV6_ONLY);
    if (fd >= 0 && fd !== null)
        return duplicate(fd);
    if (UDP.has(addressType))
        return bindUdp(address, port || 0, isIpv6Only, Boolean(flags & REUSE_ADDRESS));
    if (port === -1 && addressType === -1)
        return bindPath(address, (readableAll ? 0o444 : 0) | (writableAll ? 0o222 : 0));
    return address ? bindTcp(address, port, isIpv6Only) : bindAny(port);
}

function removeFile(name) {
    try {
        require('fs/fs').unlinkSync(name);
    } catch { // somebody else has removed it
    }
}

class SharedSocket {
    #found;
    #file; // of a Unix socket
    #workers = new Set();

    constructor(key, address, query) {
        this.#found = bind(address, query);
        if (query.addressType === -1 && typeof this.#found !== 'number' && address[0] !== '\0')
            this.#file = address;
    }

    add(worker, callback) {
        this.#workers.add(worker);
        if (typeof this.#found === 'number')
            callback(this.#found);
        else
            callback(0, undefined, this.#found);
    }

    // Returns true if no worker is left.
    remove(worker) {
        if (!this.#workers.delete(worker) || this.#workers.size > 0)
            return false;
        this.#found.close?.();
        if (this.#file !== undefined)
            removeFile(this.#file);
        return true;
    }
}

module.exports = { SharedSocket, UDP };
