// SPDX-License-Identifier: MIT
// net/address -- IP addresses: isIP, SocketAddress, BlockList.
'use strict';

const check = require('net/check');
const { coded, invalidArgValue } = require('core/errors');
const { parseIp } = native;

const inspectCustom = Symbol.for('nodejs.util.inspect.custom');

// ---- isIP ----

// As in Node, a zone may follow an IPv6 address.
function isIPv6(text) {
    const [, plain, zone] = /^([^%]*)(%[0-9a-zA-Z\-.:]+)?$/.exec(`${text}`) ?? [];
    return plain !== undefined && (zone !== undefined || !`${text}`.includes('%')) &&
        parseIp(plain)?.length === 16;
}

function isIPv4(text) {
    return parseIp(`${text}`)?.length === 4;
}

function isIP(text) {
    return isIPv4(text) ? 4 : isIPv6(text) ? 6 : 0;
}

// ---- SocketAddress ----

// The shortest form of an IPv6 address (RFC 5952).
function formatIPv6(bytes) {
    const words = [];
    for (let i = 0; i < 16; i += 2)
        words.push(bytes[i] << 8 | bytes[i + 1]);
    let start = -1, most = 1;
    for (let i = 0; i < 8; i++) {
        let length = 0;
        while (i + length < 8 && words[i + length] === 0)
            length++;
        if (length > most)
            [start, most] = [i, length];
    }
    if (start === 0 && (most === 6 || (most === 5 && words[5] === 0xffff)))
        return `::${most === 5 ? 'ffff:' : ''}${bytes.slice(12).join('.')}`;
    const hex = words.map((word) => word.toString(16));
    return start < 0 ? hex.join(':')
        : `${hex.slice(0, start).join(':')}::${hex.slice(start + most).join(':')}`;
}

const details = new WeakMap(); // SocketAddress -> {bytes, address, port, ...}

class SocketAddress {
    static isSocketAddress(value) {
        return details.has(value);
    }

    constructor(options = {}) {
        check.object(options, 'options');
        const { port = 0, flowlabel = 0 } = options;
        let { family = 'ipv4' } = options;
        const { address = family === 'ipv4' ? '127.0.0.1' : '::' } = options;
        if (typeof family?.toLowerCase === 'function')
            family = family.toLowerCase();
        if (family !== 'ipv4' && family !== 'ipv6')
            throw invalidArgValue('options.family', options.family);
        check.string(address, 'options.address');
        const number = check.port(port, 'options.port');
        check.uint32(flowlabel, 'options.flowlabel');
        const bytes = parseIp(address);
        if (bytes?.length !== (family === 'ipv4' ? 4 : 16))
            throw coded(Error, 'ERR_INVALID_ADDRESS', 'Invalid socket address');
        details.set(this, { bytes, port: number, family, flowlabel,
            address: family === 'ipv4' ? bytes.join('.') : formatIPv6(bytes) });
    }

    get address() { return details.get(this).address; }
    get port() { return details.get(this).port; }
    get family() { return details.get(this).family; }
    get flowlabel() { return details.get(this).flowlabel; }

    toJSON() {
        const { address, port, family, flowlabel } = details.get(this);
        return { address, port, family, flowlabel };
    }
}
Object.defineProperty(SocketAddress.prototype, inspectCustom, {
    value(depth, options) {
        return depth < 0 ? this : `SocketAddress ${require('util/inspect').inspect(
            this.toJSON(), deeper(options))}`;
    },
    writable: true, configurable: true,
});

function deeper(options) {
    return { ...options, depth: options.depth == null ? null : options.depth - 1 };
}

// ---- BlockList ----

function compare(one, other) {
    for (let i = 0; i < one.length; i++)
        if (one[i] !== other[i])
            return one[i] - other[i];
    return 0;
}

function hasPrefix(bytes, network, prefix) {
    for (let i = 0; i * 8 < prefix; i++) {
        const mask = prefix - i * 8 >= 8 ? 255 : 255 << (8 - prefix % 8) & 255;
        if ((bytes[i] & mask) !== (network[i] & mask))
            return false;
    }
    return true;
}

// The IPv4 address in an IPv6 address such as ::ffff:1.2.3.4
function mapped(bytes) {
    return bytes.length === 16 && hasPrefix(bytes,
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0, 0, 0], 96)
        ? bytes.slice(12) : undefined;
}

function addressOf(value, name, family) {
    if (SocketAddress.isSocketAddress(value))
        return value;
    check.string(value, name);
    check.string(family, 'family');
    return new SocketAddress({ address: value, family });
}

const shownFamily = (address) => address.family === 'ipv4' ? 'IPv4' : 'IPv6';
const lists = new WeakMap(); // BlockList -> [{text, test(bytes)}], the newest first

class BlockList {
    constructor() {
        lists.set(this, []);
    }

    addAddress(address, family = 'ipv4') {
        const one = addressOf(address, 'address', family), { bytes } = details.get(one);
        lists.get(this).unshift({ text: `Address: ${shownFamily(one)} ${one.address}`,
            test: (other) => other.length === bytes.length && compare(other, bytes) === 0 });
    }

    addRange(start, end, family = 'ipv4') {
        const first = addressOf(start, 'start', family);
        const last = addressOf(end, 'end', family);
        const low = details.get(first).bytes, high = details.get(last).bytes;
        if (low.length !== high.length || compare(low, high) > 0)
            throw invalidArgValue('start', first, 'must come before end');
        lists.get(this).unshift({
            text: `Range: ${shownFamily(first)} ${first.address}-${last.address}`,
            test: (other) => other.length === low.length && compare(low, other) <= 0 &&
                compare(other, high) <= 0,
        });
    }

    addSubnet(network, prefix, family = 'ipv4') {
        const one = addressOf(network, 'network', family), { bytes } = details.get(one);
        check.int32(prefix, 'prefix', 0, bytes.length * 8);
        lists.get(this).unshift({
            text: `Subnet: ${shownFamily(one)} ${one.address}/${prefix}`,
            test: (other) => other.length === bytes.length &&
                hasPrefix(other, bytes, prefix),
        });
    }

    check(address, family = 'ipv4') {
        let one = address;
        if (!SocketAddress.isSocketAddress(address)) {
            check.string(address, 'address');
            check.string(family, 'family');
            try {
                one = new SocketAddress({ address, family });
            } catch {
                return false;
            }
        }
        const { bytes } = details.get(one), inner = mapped(bytes);
        return lists.get(this).some(({ test }) =>
            test(bytes) || (inner !== undefined && test(inner)));
    }

    get rules() {
        return lists.get(this).map(({ text }) => text);
    }
}
Object.defineProperty(BlockList.prototype, inspectCustom, {
    value(depth, options) {
        return depth < 0 ? this : `BlockList ${require('util/inspect').inspect(
            { rules: this.rules }, deeper(options))}`;
    },
    writable: true, configurable: true,
});

module.exports = { isIP, isIPv4, isIPv6, SocketAddress, BlockList };
