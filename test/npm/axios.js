'use strict';
const axios = require('axios');
const { start } = require('./support/server.cjs');

start(async (at, stop) => {
    const { data, status, headers } = await axios.get(`${at}/json`, { params: { a: 1, b: 'x y' } });
    console.log(status, headers['content-type'], data);
    console.log((await axios.post(`${at}/echo`, { some: 'body' })).data);
    try {
        await axios.get(`${at}/missing`);
    } catch (error) {
        console.log(error.message, error.code, error.response.status);
    }
    try {
        await axios.get('http://127.0.0.1:1/');
    } catch (error) {
        console.log(error.code, error.message);
    }
    console.log((await axios.get(`${at}/redirect`)).data);
    const controller = new AbortController();
    const pending = axios.get(`${at}/slow`, { signal: controller.signal });
    setTimeout(() => controller.abort(), 20);
    await pending.catch((error) => console.log(error.name, error.code));
    stop();
});
