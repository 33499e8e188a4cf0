// Ask a server, and print what is the same in every run.
'use strict';
const http = require('http');

const hidden = /^(date|etag|last-modified|connection|keep-alive|x-response-time)$/;

exports.ask = (url, { method = 'GET', body, type, headers = {} } = {}) =>
    new Promise((resolve, reject) => {
        const request = http.request(url, { method, agent: false, headers: {
            ...type && { 'content-type': type },
            ...body && { 'content-length': Buffer.byteLength(body) }, ...headers } });
        request.on('error', reject);
        request.on('response', (response) => {
            const pieces = [];
            response.on('data', (piece) => pieces.push(piece));
            response.on('end', () => {
                const shown = Object.entries(response.headers)
                    .filter(([name]) => !hidden.test(name)).sort();
                console.log(method, new URL(url).pathname, response.statusCode,
                    response.statusMessage);
                for (const [name, value] of shown)
                    console.log(`  ${name}: ${value}`);
                console.log('  ' + Buffer.concat(pieces).toString().split('\n')[0]);
                resolve(response);
            });
        });
        request.end(body);
    });
