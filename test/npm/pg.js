'use strict';
const { Client, Pool } = require('pg');

(async () => {
    const options = { host: '127.0.0.1', port: process.env.PG_PORT, user: 'weir', database: 'postgres' };
    const client = new Client(options);
    await client.connect();
    await client.query('drop table if exists t');
    await client.query('create table t (id serial primary key, name text, data jsonb, at timestamptz)');
    console.log((await client.query('insert into t (name, data, at) values ($1, $2, $3) returning *',
        ['a name', { a: [1, 2] }, new Date(0)])).rows);
    await client.query('select nonsense').catch((error) => console.log(error.code, error.message));
    await client.query('begin');
    await client.query("insert into t (name) values ('lost')");
    await client.query('rollback');
    console.log((await client.query('select count(*)::int from t')).rows[0]);
    await client.end();
    const pool = new Pool({ ...options, max: 3 });
    console.log((await Promise.all([1, 2, 3, 4, 5].map((n) =>
        pool.query('select $1::int * 2 as twice', [n])))).map(({ rows }) => rows[0].twice));
    await pool.end();
    console.log('ended');
})();
