import fetch, { AbortError, Headers } from 'node-fetch';
import server from './support/server.cjs';

server.start(async (at, stop) => {
    const response = await fetch(`${at}/json?x=1`);
    console.log(response.status, response.ok, response.headers.get('content-type'));
    console.log(await response.json());
    const echo = await fetch(`${at}/echo`, { method: 'POST', body: 'a body',
        headers: new Headers({ 'content-type': 'text/x-test' }) });
    console.log(echo.headers.get('content-type'), await echo.text());
    console.log((await fetch(`${at}/redirect`)).redirected);
    console.log((await fetch(`${at}/none`)).status);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    await fetch(`${at}/slow`, { signal: controller.signal }).catch((error) =>
        console.log(error instanceof AbortError, error.message));
    await fetch('http://127.0.0.1:1/').catch((error) => console.log(error.name, error.code));
    stop();
});
