// SPDX-License-Identifier: MIT
// colordepth -- how many colours a terminal has, by what the environment says of
// it: 1, 4, 8 or 24 bits.
'use strict';

const { validateInteger } = require('stream/check');

const NONE = 1, COLORS_16 = 4, COLORS_256 = 8, ALL = 24;

const terminals = { __proto__: null,
    cons25: COLORS_16, console: COLORS_16, cygwin: COLORS_16, dtterm: COLORS_16,
    eterm: COLORS_16, gnome: COLORS_16, hurd: COLORS_16, jfbterm: COLORS_16,
    konsole: COLORS_16, kterm: COLORS_16, mlterm: ALL, mosh: ALL, putty: COLORS_16,
    'rxvt-unicode-24bit': ALL, st: COLORS_16, terminator: ALL };
const coloured = /ansi|color|linux|direct|^con[0-9]*x[0-9]|^rxvt|^screen|^xterm|^vt100|^vt220/;
const services = ['APPVEYOR', 'BUILDKITE', 'CIRCLECI', 'DRONE', 'GITLAB_CI', 'TRAVIS'];

function forced(value) {
    switch (value) {
    case '': case '1': case 'true': return COLORS_16;
    case '2': return COLORS_256;
    case '3': return ALL;
    default: return NONE;
    }
}

// A service that builds and tests programs; undefined: it is none.
function ofService(env) {
    if (env.TF_BUILD && env.AGENT_NAME)
        return COLORS_16;
    if (env.CI) {
        if (['GITHUB_ACTIONS', 'GITEA_ACTIONS', 'CIRCLECI'].some((name) => env[name]))
            return ALL;
        return services.some((name) => env[name]) || env.CI_NAME === 'codeship'
            ? COLORS_256 : NONE;
    }
    if (env.TEAMCITY_VERSION)
        return /^(9\.(0*[1-9]\d*)\.|\d{2,}\.)/.test(env.TEAMCITY_VERSION) ? COLORS_16 : NONE;
    return undefined;
}

function ofProgram(env) {
    switch (env.TERM_PROGRAM) {
    case 'iTerm.app':
        return !env.TERM_PROGRAM_VERSION || /^[0-2]\./.test(env.TERM_PROGRAM_VERSION)
            ? COLORS_256 : ALL;
    case 'HyperTerm': case 'MacTerm': return ALL;
    case 'Apple_Terminal': return COLORS_256;
    default: return undefined;
    }
}

function getColorDepth(env = require('program/process').env) {
    if (env.FORCE_COLOR !== undefined)
        return forced(env.FORCE_COLOR);
    if (env.NODE_DISABLE_COLORS || env.NO_COLOR || env.TERM === 'dumb')
        return NONE;
    if (env.TMUX)
        return ALL;
    const known = ofService(env) ?? ofProgram(env);
    if (known !== undefined)
        return known;
    if (env.COLORTERM === 'truecolor' || env.COLORTERM === '24bit')
        return ALL;
    if (env.TERM) {
        if (/truecolor/.test(env.TERM))
            return ALL;
        if (/^xterm-256/.test(env.TERM))
            return COLORS_256;
        const name = env.TERM.toLowerCase();
        if (name in terminals)
            return terminals[name];
        if (coloured.test(name))
            return COLORS_16;
    }
    return env.COLORTERM ? COLORS_16 : NONE;
}

function hasColors(count, env) {
    if (env === undefined && (count === undefined ||
        (typeof count === 'object' && count !== null))) {
        env = count;
        count = 16;
    } else {
        validateInteger(count, 'count', 2);
    }
    return count <= 2 ** getColorDepth(env);
}

module.exports = { getColorDepth, hasColors };
