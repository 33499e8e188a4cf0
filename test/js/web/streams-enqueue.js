// weir only: Node calls the sink in enqueue()
// A chunk that is enqueued while a pipe waits is written by a later job.
'use strict';

(async () => {
    let own;
    const piped = new ReadableStream({ start(controller) { own = controller; } })
        .pipeTo(new WritableStream({ write(chunk) { console.log('written', chunk); } }));
    await new Promise((resolve) => setImmediate(resolve));
    own.enqueue('first');
    console.log('enqueued');
    own.close();
    await piped;
})();
