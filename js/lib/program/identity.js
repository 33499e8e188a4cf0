// SPDX-License-Identifier: MIT
// identity -- process.getuid and kin: the user and the groups of the process.
'use strict';

const { coded, invalidArgType } = require('core/errors');
const { integer } = require('fs/check');

const { getuid, geteuid, getgid, getegid, getgroups } = native;

function checkId(id, name) {
    if (typeof id === 'number')
        integer(id, name, 0, 4294967295);
    else if (typeof id !== 'string')
        throw invalidArgType(name, 'one of type number or string', id);
}

function unknown(kind, id) {
    return coded(Error, 'ERR_UNKNOWN_CREDENTIAL', `${kind} identifier does not exist: ${id}`);
}

// The number that a name stands for.
function toId(kind, id) {
    if (typeof id === 'number')
        return id;
    const found = native.findId(kind === 'Group', id);
    if (found === undefined)
        throw unknown(kind, id);
    return found;
}

// What C returns is undefined, or why a call has failed.
function check(failure, syscall) {
    if (failure === undefined)
        return;
    const [errno, code, text] = failure;
    const error = new Error(`${code}, ${text}`);
    throw Object.assign(error, { errno, code, syscall });
}

function setter(name, number, kind) {
    return Object.defineProperty((id) => {
        checkId(id, 'id');
        check(native.setId(number, toId(kind, id)), name);
    }, 'name', { value: '' }); // as in Node
}
const setuid = setter('setuid', 0, 'User');
const seteuid = setter('seteuid', 1, 'User');
const setgid = setter('setgid', 2, 'Group');
const setegid = setter('setegid', 3, 'Group');

function setgroups(groups) {
    if (!Array.isArray(groups))
        throw invalidArgType('groups', 'an instance of Array', groups);
    groups.forEach((group, at) => checkId(group, `groups[${at}]`));
    check(native.setGroups(groups.map((group) => toId('Group', group))), 'setgroups');
}

function initgroups(user, extraGroup) {
    checkId(user, 'user');
    checkId(extraGroup, 'extraGroup');
    const name = typeof user === 'number' ? native.nameOf(user) : user;
    if (name === undefined)
        throw unknown('User', user);
    check(native.initGroups(name, toId('Group', extraGroup)), 'initgroups');
}

module.exports = { getuid, geteuid, getgid, getegid, getgroups, initgroups, setegid, seteuid,
    setgid, setgroups, setuid };
