// Response: constructor, static methods, bodies, clones.
const attempt = async (fn) => {
    try {
        return await fn();
    } catch (error) {
        return `${error.name}: ${error.message}`;
    }
};
const show = (...values) => console.log(...values);
const about = (r) => [r.status, r.ok, r.statusText, r.type, r.url, r.redirected,
    r.headers.get('content-type'), r.bodyUsed, r.body === null];

show(about(new Response()), about(new Response(null)), about(new Response('text')));
show(about(new Response('x', { status: 404, statusText: 'Nope', headers: { 'Content-Type': 'a/b' } })));
show(about(new Response(new Uint8Array(2))), about(new Response(new URLSearchParams('a=b'))));
show(about(Response.json({ a: 1 })), about(Response.json([], { status: 201 })),
    about(Response.json('x', { headers: { 'content-type': 'mine' } })));
show(about(Response.redirect('http://a/b c')), Response.redirect('http://a/', 308).headers.get('location'));
show(about(Response.error()));

// Bodies.
const text = 'héllo € 😀 \ud800 end';
show(await new Response(text).text(), (await new Response(text).arrayBuffer()).byteLength);
show(await new Response('\ufeffmarked').text(), await new Response('{"a":[1,{}]}').json());
show(await new Response(new Uint8Array([104, 105])).text(),
    await new Response(new DataView(new ArrayBuffer(3), 1)).arrayBuffer());
show(await new Response().text() === '', await new Response(5).text(), await new Response({}).text(),
    await new Response(true).text());
const bytes = new Uint8Array([1, 2, 3]);
const copied = new Response(bytes);
bytes[0] = 9;
show(new Uint8Array(await copied.arrayBuffer()), await new Response('abc').bytes());

// A body is read once.
const once = new Response('once');
show(once.bodyUsed, await once.text(), once.bodyUsed, await attempt(() => once.text()),
    await attempt(() => once.clone()));
const none = new Response();
show(await none.text(), none.bodyUsed, await none.text());

// Streams.
const stream = new Response('streamed').body;
const reader = stream.getReader();
show(await reader.read(), await reader.read(), stream.locked);
const chunks = new Response(new ReadableStream({
    start(controller) {
        controller.enqueue(new Uint8Array([97]));
        controller.enqueue(new Uint8Array([98]));
        controller.close();
    } }));
const twin = chunks.clone();
show(await chunks.text(), await twin.text(), chunks.bodyUsed, twin.bodyUsed);
const touched = new Response('touched');
show(touched.body === touched.body, touched.bodyUsed, await touched.text(), touched.bodyUsed);
const cancelled = new Response('cancelled');
await cancelled.body.cancel();
show(cancelled.bodyUsed);
const locked = new Response('locked');
locked.body.getReader();
show(await attempt(() => locked.text()).then((said) => said.slice(0, 27)), locked.bodyUsed);

const cloned = new Response('both', { status: 201, headers: { a: 'b' } });
const other = cloned.clone();
other.headers.set('a', 'c');
show(await cloned.text(), await other.text(), other.status, cloned.headers.get('a'));

for (const fn of [
    () => new Response('x', { status: 99 }), () => new Response('x', { status: 600 }),
    () => new Response('x', { status: 204 }), () => new Response(null, { status: 204 }).status,
    () => new Response('x', { statusText: '\n' }), () => Response.json(undefined),
    () => Response.json(), () => Response.redirect('/x'),
    () => Response.redirect('http://a/', 200), () => new Response('x', { headers: 5 }),
    () => Response.prototype.text.call({}),
    () => Response.prototype.status, () => Response.prototype.clone.call({}),
    () => new Response('no').json().then(() => 0, (error) => error.name),
])
    show(await attempt(fn));

class Mine extends Response {
    #own = 5;
    get own() { return this.#own; }
}
const mine = new Mine('sub', { status: 202 });
show(mine.own, mine.status, await mine.text(), mine instanceof Response,
    Object.prototype.toString.call(mine));
show(Response.error(), new Response(null, { headers: { a: 'b' } }));
