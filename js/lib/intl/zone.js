// SPDX-License-Identifier: MIT
// zone -- the names of time zones.
'use strict';

const { canonical, host } = native;

const known = new Map(); // as a program spells it -> as it is shown

function zoneNamed(given) {
    let zone = known.get(given);
    if (zone === undefined) {
        zone = canonical(given);
        if (zone === undefined || zone === 'Etc/Unknown')
            throw new RangeError(`Invalid time zone specified: ${given}`);
        if (zone === 'Etc/UTC' || zone === 'Etc/GMT')
            zone = 'UTC';
        if (known.size >= 100)
            known.clear();
        known.set(given, zone);
    }
    return zone;
}

let hostName, hostShown;

// That of the process, which may change it.
function hostZone() {
    const name = host();
    if (name !== hostName) {
        hostShown = canonical(name) === undefined ? 'UTC' : zoneNamed(name);
        hostName = name;
    }
    return hostShown;
}

module.exports = { zoneNamed, hostZone };
