import got from 'got';
import server from './support/server.cjs';

server.start(async (at, stop) => {
    console.log(await got(`${at}/json`, { searchParams: { a: 1 } }).json());
    console.log(await got.post(`${at}/echo`, { json: { hello: 'world' } }).json());
    console.log((await got(`${at}/redirect`)).redirectUrls.length);
    await got(`${at}/none`, { retry: { limit: 0 } }).catch((error) =>
        console.log(error.name, error.code, error.response.statusCode));
    await got(`${at}/slow`, { timeout: { request: 50 }, retry: { limit: 0 } }).catch((error) =>
        console.log(error.name, error.code));
    const pieces = [];
    for await (const piece of got.stream(`${at}/json`))
        pieces.push(piece);
    console.log(Buffer.concat(pieces).length > 0);
    stop();
});
