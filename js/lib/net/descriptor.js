// SPDX-License-Identifier: MIT
// net/descriptor -- sockets without an owner (js/net/descriptor.h): what another
// process has sent, and what is bound for others.
//
// Each has `fd`, close(), forget() for whoever has become its owner, listen() and
// isConnection().
'use strict';

const { prototype, bindTcp, bindUdp, bindPath, duplicate } = native;

const isDescriptor = (value) => value !== null && typeof value === 'object' &&
    Object.getPrototypeOf(value) === prototype;

module.exports = { isDescriptor, bindTcp, bindUdp, bindPath, duplicate };
