// SPDX-License-Identifier: MIT
// Nanoseconds for a prepared INSERT, of 100,000 in one transaction, and for a prepared SELECT of
// one row.  Node needs version 22, or better-sqlite3; without them the row is absent.
'use strict';

const COUNT = 100000;

function open() {
    try {
        const { DatabaseSync } = require('node:sqlite');
        return new DatabaseSync(':memory:');
    } catch {
        try {
            return new (require('better-sqlite3'))(':memory:');
        } catch {
            process.exit(127);
        }
    }
}

const database = open();
database.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, value REAL)');
const insert = database.prepare('INSERT INTO t (name, value) VALUES (?, ?)');
const select = database.prepare('SELECT * FROM t WHERE id = ?');

function round(count) {
    database.exec('DELETE FROM t');
    database.exec('BEGIN');
    let began = performance.now();
    for (let i = 0; i < count; i++)
        insert.run('a name', i + 0.5);
    database.exec('COMMIT');
    const inserted = performance.now() - began;
    let sum = 0;
    began = performance.now();
    for (let i = 1; i <= count; i++)
        sum += select.get(i).value;
    if (sum !== count * count / 2)
        throw new Error(`wrong rows: ${sum}`);
    return [inserted, performance.now() - began];
}

round(COUNT / 10);
for (const ms of round(COUNT))
    console.log(ms * 1e6 / COUNT);
