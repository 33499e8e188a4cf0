// SPDX-License-Identifier: MIT
// The shortest program.
console.log(1);
