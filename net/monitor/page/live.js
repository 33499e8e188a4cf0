// SPDX-License-Identifier: MIT
// The page of the monitor.  The token is in the fragment of the address, which
// browsers keep to themselves; each request carries it.  Events are read with
// fetch, because EventSource cannot send it.
'use strict';

const $ = (id) => document.getElementById(id);
const token = location.hash.slice(1) || sessionStorage.getItem('token') || '';
const HISTORY = 240; // columns of a strip
const MOST_LOOPS = 100; // drawn at once

if (location.hash) {
    sessionStorage.setItem('token', token);
    history.replaceState(null, '', location.pathname); // not in screenshots
}

let isPaused = false;
let lastSample = 0; // when
let latest; // sample that is shown
let logged = -1; // the number of the last event of the recorder
const strips = new Map(); // history of each loop, by its name and thread
const rows = new Map(); // the elements of each loop
const blocks = new Map(); // by id

// ---- small things ----

function element(name, properties = {}, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
}

function setText(target, text) {
    if (target.textContent !== text)
        target.textContent = text;
}

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

function time(ms) {
    if (ms === undefined || ms < 0)
        return '';
    if (ms < 0.001)
        return '0';
    if (ms < 1)
        return `${(ms * 1000).toPrecision(2) * 1} µs`;
    if (ms < 1000)
        return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
    if (ms < 60000)
        return `${(ms / 1000).toFixed(1)} s`;
    const minutes = Math.floor(ms / 60000);
    return minutes < 60 ? `${minutes} min ${Math.floor(ms / 1000) % 60} s`
        : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function bytes(count) {
    for (const unit of ['B', 'kB', 'MB', 'GB']) {
        if (count < 1000 || unit === 'GB')
            return `${count < 10 && unit !== 'B' ? count.toFixed(1) : Math.round(count)} ${unit}`;
        count /= 1000;
    }
}

// Fill a table.  Each column: title, text of a row, class.
function fill(table, list, columns, none) {
    if (list.length === 0) {
        if (table.dataset.empty !== none) {
            table.replaceChildren(element('caption', { className: 'none', textContent: none }));
            table.dataset.empty = none;
        }
        return;
    }
    if (table.dataset.empty !== '' || !table.tBodies[0]) {
        const head = element('tr', {}, ...columns.map(([title, , className]) =>
            element('th', { textContent: title, className: className ?? '', scope: 'col' })));
        table.replaceChildren(element('thead', {}, head), element('tbody'));
        table.dataset.empty = '';
    }
    const body = table.tBodies[0];
    while (body.rows.length > list.length)
        body.lastChild.remove();
    while (body.rows.length < list.length)
        body.append(element('tr', {}, ...columns.map(([, , className]) =>
            element('td', { className: className ?? '' }))));
    list.forEach((item, i) => {
        columns.forEach(([, text], k) => setText(body.rows[i].cells[k], text(item)));
    });
}

// ---- loops ----

function draw(canvas, history, colours) {
    const scale = window.devicePixelRatio || 1;
    const width = Math.round(canvas.clientWidth * scale);
    const height = Math.round(canvas.clientHeight * scale);
    if (canvas.width !== width || canvas.height !== height) {
        canvas.width = width;
        canvas.height = height;
    }
    const context = canvas.getContext('2d');
    const column = width / HISTORY;
    context.clearRect(0, 0, width, height);
    history.forEach(({ busy, isBlocked }, i) => {
        const x = width - (history.length - i) * column;
        context.fillStyle = colours.idle;
        context.fillRect(x, height - 2 * scale, column, 2 * scale);
        if (isBlocked) { // full height, and hatched for those who see no colour
            context.fillStyle = colours.blocked;
            context.fillRect(x, 0, column, height);
            context.fillStyle = colours.panel;
            for (let y = (i % 2) * 3 * scale; y < height; y += 6 * scale)
                context.fillRect(x, y, column, scale);
        } else if (busy > 0) {
            context.fillStyle = colours.busy;
            context.fillRect(x, height - Math.max(2 * scale, busy * height), column, height);
        }
    });
}

// Figures of a loop: class, label where there are no heads, text.
const pair = (times) => times ? `${time(times.p50)}, ${time(times.p99)}` : '';
const FIGURES = [
    ['busy', 'busy', ({ busy }) => `${Math.round(busy * 100)} %`],
    ['rate', 'callbacks/s', ({ rate }) => number.format(rate)],
    ['queue', 'queue p50, p99', ({ queue }) => pair(queue)],
    ['call', 'callback p50, p99', ({ call }) => pair(call)],
    ['longest', 'longest', ({ longest }) => time(longest)],
];

function newRow() {
    const row = {
        name: element('strong'), canvas: element('canvas'),
        figures: FIGURES.map(([className, label]) => {
            const figure = element('span', { className: `figure ${className}` });
            figure.dataset.label = label;
            return figure;
        }),
        now: element('span', { className: 'now' }),
    };
    row.root = element('div', { className: 'loop' }, row.name, row.canvas, ...row.figures, row.now);
    row.canvas.setAttribute('role', 'img');
    return row;
}

// File names in parentheses without the directories above the last one.
const short = (text) =>
    text.replace(/\((?:file:\/\/)?\/[^\s()]*?(\/[^/\s()]+\/[^/\s()]+)\)/g, '(…$1)');

function describe(loop) {
    if (loop.state === 'idle')
        return '';
    const where = loop.subject || loop.callback;
    const what = !loop.kind ? 'between two callbacks'
        : where ? `${where} (${loop.kind})` : `a ${loop.kind}`;
    const block = [...blocks.values()].findLast((known) =>
        known.thread === loop.thread && known.stage !== 'ended');
    if (loop.state === 'blocked')
        return `blocked for ${time(loop.blocked)} by ${block?.cause === 'congestion'
            ? crowd(block) : what}${block ? place(block) : ''}`;
    return `${what}${loop.for >= 1000 ? ` for ${time(loop.for)}` : ''}`;
}

function showLoop(row, loop, history, colours) {
    setText(row.name, loop.name);
    row.root.classList.toggle('blocked', loop.state === 'blocked');
    row.canvas.setAttribute('aria-label',
        `${loop.name}: ${loop.state}, ${Math.round(loop.busy * 100)} % busy`);
    row.figures.forEach((figure, i) => { setText(figure, FIGURES[i][2](loop)); });
    setText(row.now, short(describe(loop)));
    row.figures.at(-1).title = loop.longestName ?? '';
    draw(row.canvas, history, colours);
}

const order = new Intl.Collator('en', { numeric: true });

function showLoops(loops, isNew = true) {
    const all = loops.filter(({ thread }) => thread !== 0).sort((a, b) =>
        (b.state === 'blocked') - (a.state === 'blocked') ||
        (b.name === 'main') - (a.name === 'main') || order.compare(a.name, b.name));
    const seen = new Set();
    for (const loop of all) {
        const key = `${loop.name} ${loop.thread}`;
        const history = strips.get(key) ?? [];
        if (isNew)
            history.push({ busy: loop.busy, isBlocked: loop.state === 'blocked' });
        if (history.length > HISTORY)
            history.shift();
        strips.set(key, history);
        seen.add(key);
    }
    for (const key of strips.keys())
        if (!seen.has(key))
            strips.delete(key);
    const style = getComputedStyle(document.documentElement), colours = {};
    for (const name of ['idle', 'busy', 'blocked', 'panel'])
        colours[name] = style.getPropertyValue(`--${name}`);
    const shown = all.slice(0, MOST_LOOPS);
    shown.forEach((loop, i) => {
        const row = rows.get(i) ?? newRow();
        if (!rows.has(i)) {
            rows.set(i, row);
            $('loops').append(row.root);
        }
        showLoop(row, loop, strips.get(`${loop.name} ${loop.thread}`), colours);
    });
    for (let i = shown.length; rows.has(i); i++) {
        rows.get(i).root.remove();
        rows.delete(i);
    }
    setText($('more-loops'), all.length > shown.length
        ? `and ${all.length - shown.length} more loops` : '');
}

// ---- blocks ----

const crowd = ({ callbacks, kind }) =>
    `${number.format(callbacks)} callbacks in one turn, the last a ${kind}`;

// The innermost line of the program itself.
function place({ stack, nativeStack }) {
    const own = stack.split('\n').find((line) => line &&
        !/\((native|node:|weir:)/.test(line));
    return own ? `: ${own.trim()}` : nativeStack ? `: ${nativeStack.split('\n')[0].trim()}` : '';
}

function title(block) {
    const what = block.cause === 'congestion' ? crowd(block)
        : `${block.subject || 'a callback'} (${block.kind}${block.name ? ` ${block.name}` : ''})`;
    return `${block.loop} ${block.stage === 'ended' ? 'was' : 'is'} blocked for ` +
        `${time(block.duration)} by ${what}, ${block.cause}, ${block.state}${place(block)}`;
}

function showBlock(block) {
    const old = blocks.get(block.id);
    block.element = old?.element ?? element('details', {}, element('summary'), element('pre'));
    blocks.set(block.id, block);
    const [summary, pre] = block.element.children;
    block.element.classList.toggle('lasts', block.stage !== 'ended');
    setText(summary, short(title(block)));
    setText(pre, [block.stack && `JavaScript\n${block.stack}`,
        block.nativeStack && `C\n${block.nativeStack}`].filter(Boolean).join('\n') || 'no stack');
    if (!old) {
        if (blocks.size === 1)
            $('blocks').replaceChildren();
        $('blocks').prepend(block.element);
        log(block.ago, short(`${block.loop} is blocked: ${block.cause}${place(block)}`));
        if (blocks.size > 50) {
            const [first] = blocks;
            first[1].element.remove();
            blocks.delete(first[0]);
        }
    }
    if (block.stage === 'ended')
        log(block.ago, `${block.loop} was blocked for ${time(block.duration)}`);
}

function showAlarm(loops) {
    const stuck = loops.filter(({ state }) => state === 'blocked');
    $('alarm').hidden = stuck.length === 0;
    const lines = stuck.map((loop) =>
        /^(.*?)( by .*?)(?:: (at .*))?$/s.exec(`${loop.name} is ${describe(loop)}`).slice(1));
    if ($('alarm').textContent !== lines.flat().join(''))
        $('alarm').replaceChildren(...lines.map(([what, by, at = '']) => element('p', {},
            element('strong', { textContent: what }), by,
            element('code', { textContent: at }))));
}

// ---- the rest ----

function log(ago, text) {
    const at = new Date(Date.now() - ago);
    $('log').prepend(element('li', {}, element('time', { textContent: at.toLocaleTimeString() }),
        element('span', { textContent: text })));
    while ($('log').children.length > 200)
        $('log').lastChild.remove();
}

function showLog(events) {
    for (const { number: id, ago, type, name, value } of events)
        if (id > logged) {
            logged = id;
            log(ago, type === 'drain' ? `drain: ${name}` : `${name}${value ? ` ${value}` : ''}`);
        }
}

const right = 'number';

function showTables(sample) {
    fill($('holders'), sample.holders, [
        ['loop', ({ loop }) => loop],
        ['what', ({ kind, running }) => running ? `${kind}, running` : kind],
        ['name', ({ name }) => name, 'name'],
        ['count', ({ count }) => number.format(count), right],
        ['age', ({ age }) => time(age), right],
    ], 'nothing');
    fill($('callbacks'), sample.callbacks.slice(0, 15), [
        ['callback', ({ kind, name }) => short(name) || `(${kind})`, 'name'],
        ['kind', ({ kind }) => kind],
        ['measured', ({ count }) => number.format(count), right],
        ['total', ({ total }) => time(total), right],
        ['longest', ({ longest }) => time(longest), right],
    ], 'none were recorded');
    fill($('servers'), sample.servers, [
        ['address', ({ address, name }) => [name, address].filter(Boolean).join(' '), 'name'],
        ['state', ({ draining }) => draining ? 'draining' : 'serving'],
        ['connections', ({ connections }) => number.format(connections), right],
        ['requests/s', ({ rate }) => number.format(rate), right],
        ['requests', ({ requests }) => number.format(requests), right],
        ['refused', ({ refused }) => number.format(refused), right],
        ['cut off', ({ cut }) => number.format(cut), right],
    ], 'no server');
    fill($('connections'), sample.connections.slice(0, 50), [
        ['state', ({ phase }) => phase],
        ['request', ({ method, target }) => `${method} ${target}`.trim(), 'name'],
        ['client', ({ peer }) => peer, 'name'],
        ['age', ({ age }) => time(age), right],
        ['in', (row) => bytes(row.in), right],
        ['out', ({ out }) => bytes(out), right],
    ], 'no connection');
    const hidden = sample.connectionCount - Math.min(50, sample.connections.length);
    setText($('more-connections'), hidden > 0 ? `and ${number.format(hidden)} more` : '');
    fill($('slow'), sample.slow, [
        ['request', ({ name }) => name, 'name'],
        ['status', ({ status }) => String(status), right],
        ['took', ({ duration }) => time(duration), right],
        ['ago', ({ ago }) => time(Math.max(0, ago)), right],
    ], 'no request');
    showPools(sample);
    showMemory(sample.loops);
}

// The pool of C, its lanes, and the pools of workers.
function showPools({ pool, lanes = [], pools = [] }) {
    fill($('pool'), pool ? [pool] : [], [
        ['pool', () => 'threads of C', 'name'],
        ['threads', ({ workers }) => number.format(workers), right],
        ['asleep', ({ asleep }) => number.format(asleep), right],
        ['in a blocking call', ({ blocked }) => number.format(blocked), right],
        ['queued', ({ queued }) => number.format(queued), right],
        ['jobs', ({ ran }) => number.format(ran), right],
        ['stolen', ({ stolen }) => number.format(stolen), right],
    ], 'not in use');
    $('lanes').hidden = lanes.length === 0;
    fill($('lanes'), lanes, [
        ['lane', ({ name }) => name || '(no name)', 'name'],
        ['at most', ({ limit }) => number.format(limit), right],
        ['running', ({ running }) => number.format(running), right],
        ['waiting', ({ waiting }) => number.format(waiting), right],
    ], 'none');
    $('pools').hidden = pools.length === 0;
    fill($('pools'), pools, [
        ['pool', ({ name }) => name, 'name'],
        ['workers', ({ workers }) => number.format(workers), right],
        ['queued', ({ queued }) => number.format(queued), right],
        ['tasks', ({ taken }) => number.format(taken), right],
        ['stolen', ({ stolen }) => number.format(stolen), right],
        ['mean wait', ({ waited }) => time(waited), right],
        ['longest', ({ longest }) => time(longest), right],
    ], 'none');
}

function showMemory(loops) {
    const all = loops.filter(({ memory }) => memory > 0).sort((a, b) => b.memory - a.memory);
    const shown = all.slice(0, 15);
    fill($('memory'), shown, [
        ['thread', ({ name }) => name],
        ['state', ({ state }) => state],
        ['memory', ({ memory }) => bytes(memory), right],
        ['callbacks/s', ({ rate }) => number.format(rate), right],
        ['longest', ({ longest }) => time(longest), right],
    ], 'none');
    setText($('more-memory'), all.length <= 1 ? '' :
        `${bytes(all.reduce((sum, { memory }) => sum + memory, 0))} in ` +
        `${number.format(all.length)} threads`);
}

// What the main thread has shown, when it was asked.
function showHeap(heap, canAsk) {
    $('ask-heap').hidden = !canAsk;
    $('heap-panel').hidden = heap === undefined;
    if (heap === undefined)
        return;
    const { data, ago } = heap;
    setText($('heap-facts'), `${time(ago)} ago: ${bytes(data.allocated)} allocated; ` +
        `${number.format(data.objects)} objects, ` +
        `${number.format(data.strings)} strings ${bytes(data.stringBytes)}, ` +
        `functions ${bytes(data.functionBytes)}, shapes ${bytes(data.shapeBytes)}, ` +
        `atoms ${bytes(data.atomBytes)}`);
    fill($('heap'), data.classes.slice(0, 15), [
        ['class', ({ name }) => name || '(no name)', 'name'],
        ['objects', ({ count }) => number.format(count), right],
        ['bytes', (row) => bytes(row.bytes), right],
    ], 'none');
}

// What the main thread waits for.  It is asked every two seconds, so a timer whose time
// has come since is late only if the loop is blocked.
function showPending(section, loops) {
    $('timers-panel').hidden = $('promises-panel').hidden = section === undefined;
    if (section === undefined)
        return;
    const { data, ago } = section;
    const where = ({ name, file, line }) => short(file ? `${name || '(no name)'} (${file}:${line})`
        : name || '(no name)');
    const isBlocked = loops.some(({ name, state }) => name === 'main' && state === 'blocked');
    const next = (due) => {
        const left = isBlocked || due >= 0 ? due - ago : due;
        return left >= 0 ? `in ${time(left)}`
            : isBlocked || due < 0 ? `late by ${time(-left)}` : 'now';
    };
    fill($('timers'), data.timers.slice(0, 15), [
        ['function', where, 'name'],
        ['when', ({ delay, repeats, hasRef }) => `${repeats ? 'every' : 'after'} ${time(delay)}` +
            (hasRef ? '' : ', unref'), 'short'],
        ['count', ({ count }) => number.format(count), right],
        ['next', ({ due }) => next(due), right],
    ], 'none');
    fill($('promises'), data.promises.slice(0, 15), [
        ['what waits', where, 'name'],
        ['how', ({ awaited }) => awaited ? 'await' : 'then'],
        ['count', ({ count }) => number.format(count), right],
        ['the oldest, for', ({ age }) => time(age + ago), right],
    ], 'none');
    const note = (total, what) => [`${number.format(total)} ${what}`,
        ago > 5000 ? `as it was ${time(ago)} ago` : ''].filter(Boolean).join('; ');
    setText($('timer-notes'), note(data.timerCount, 'in all'));
    setText($('promise-notes'), note(data.promiseCount,
        'in all that functions of the program wait for'));
}

// Jobs of weir:jobs.  The main thread is asked for them while there are any.
function showJobs(section) {
    $('jobs-panel').hidden = section === undefined;
    if (section === undefined)
        return;
    const { now, stores } = section.data;
    const each = (key) => stores.flatMap((store) => store[key].map((row) => ({ store, ...row })));
    const several = (store) => stores.length > 1 ? `${store.name} ` : '';
    const count = (state) => ({ jobs }) => number.format(jobs[state]);
    fill($('job-queues'), each('queues'), [
        ['queue', ({ store, name }) => several(store) + name, 'name'],
        ['ready', count('ready'), right],
        ['running', count('running'), right],
        ['delayed', count('scheduled'), right],
        ['held back', ({ jobs }) => number.format(jobs.behind + jobs.waiting), right],
        ['done', count('done'), right],
        ['dead', count('dead'), right],
        ['oldest is due since', ({ oldest }) => time(oldest && Math.max(0, now - oldest)), right],
        ['', ({ paused }) => paused ? 'paused' : ''],
    ], 'no queue');
    fill($('job-running'), each('running'), [
        ['job', ({ store, id }) => several(store) + id, 'name'],
        ['queue', ({ queue }) => queue, 'name'],
        ['attempt', ({ attempt, attempts }) => `${attempt} of ${attempts}`, right],
        ['progress', ({ progress }) => `${Math.round(progress * 100)} %`, right],
        ['claimed by', ({ owner }) => owner ?? '', 'name'],
        ['lease ends in', ({ lease }) => time(lease), right],
    ], 'none');
    showDead(each('dead'));
    setText($('job-notes'), [
        ...stores.flatMap(({ name, error }) => error ? [`${name}: ${error}`] : []),
        section.ago > 5000 ? `as it was ${time(section.ago)} ago` : ''].filter(Boolean).join('; '));
}

// Elements stay as long as their jobs are dead, so that a button keeps its focus.
function showDead(dead) {
    const keyOf = ({ store, id }) => `${store.number}.${id}`;
    const there = new Map([...$('job-dead').children].map((item) => [item.dataset.key, item]));
    for (const job of dead) {
        const key = keyOf(job);
        if (there.delete(key))
            continue;
        const [first] = (job.reason ?? '').split('\n');
        const item = element('li', {}, `${job.queue} ${job.id}, attempt ${job.attempt}`,
            element('code', { textContent: first, title: job.reason ?? '' }),
            element('button', { type: 'button', textContent: 'Retry',
                onclick: () => ask(`/ask?what=jobs-retry.${key}`, { method: 'POST' }) }));
        item.dataset.key = key;
        $('job-dead').append(item);
    }
    for (const item of there.values())
        item.remove();
}

function askAgain() {
    if (!latest?.canAsk || isPaused || document.hidden)
        return;
    for (const what of latest.sections?.jobs ? ['pending', 'jobs'] : ['pending'])
        ask(`/ask?what=${what}`, { method: 'POST' }).catch(() => {}); // lose() says why
}
setInterval(askAgain, 2000);

// A profile of the main thread, which this page or another one has started.
const profile = { state: undefined, number: 0, isWanted: false };

function showProfile(section, canAsk) {
    const { state, number: last, reason } = section?.data ?? {};
    $('profile').hidden = !canAsk;
    setText($('profile'), state === 'running' ? `Stop the CPU profile, ${time(section.ago)}`
        : 'Start a CPU profile');
    if (state === profile.state && last === profile.number)
        return;
    profile.state = state;
    profile.number = last;
    if (state === 'failed')
        log(0, `no profile: ${reason}`);
    if (state === 'ready' && profile.isWanted)
        saveProfile();
    profile.isWanted &&= state === 'running';
}

function show(sample) {
    lastSample = Date.now();
    if (isPaused)
        return;
    const isFirst = latest === undefined;
    latest = sample;
    if (isFirst)
        askAgain();
    const name = sample.title || `process ${sample.pid}`;
    const isBlocked = sample.loops.some(({ state }) => state === 'blocked');
    setText($('title'), name);
    document.title = isBlocked ? `blocked – ${name}` : `${name} – weir`;
    setText($('facts'), `process ${sample.pid}, up ${time(sample.uptime * 1000)}, ` +
        `${Math.round(sample.cpu * 100)} % CPU, ${bytes(sample.memory)}`);
    setText($('state'), isBlocked ? 'blocked' : sample.phase);
    $('state').className = isBlocked ? 'blocked' : '';
    $('drain').hidden = !sample.canDrain;
    showAlarm(sample.loops);
    showLoops(sample.loops);
    showTables(sample);
    showHeap(sample.sections?.heap, sample.canAsk);
    showProfile(sample.sections?.profile, sample.canAsk);
    showPending(sample.sections?.pending, sample.loops);
    showJobs(sample.sections?.jobs);
    showLog(sample.log);
}

matchMedia('(prefers-color-scheme: dark)').onchange = () => {
    if (latest)
        showLoops(latest.loops, false);
};

// ---- talking to the program ----

const ask = (path, options = {}) => fetch(path,
    { ...options, cache: 'no-store', headers: { authorization: `Bearer ${token}` } });

function handle(event) {
    const type = /^event: (.*)$/m.exec(event)?.[1];
    const data = /^data: (.*)$/m.exec(event)?.[1];
    if (type === 'sample')
        show(JSON.parse(data));
    else if (type === 'block')
        showBlock(JSON.parse(data));
}

function lose(text) {
    setText($('state'), text);
    $('state').className = 'lost';
}

// Returns whether to try again.
async function listen() {
    const response = await ask('/events');
    if (response.status === 401) {
        lose('The token is missing or wrong: open the address that the program has printed.');
        return false;
    }
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
        const { value, done } = await reader.read();
        if (done)
            return true;
        const events = (rest + value).split('\n\n');
        rest = events.pop();
        events.forEach(handle);
    }
}

async function stayConnected() {
    let wants = true;
    while (wants) {
        try {
            wants = await listen();
        } catch {
            // the program has ended, or the network has
        }
        if (wants) {
            lose('the program does not answer');
            await new Promise((resolve) => { setTimeout(resolve, 1000); });
        }
    }
}

setInterval(() => {
    if (lastSample !== 0 && Date.now() - lastSample > 3000)
        lose(`no sample for ${time(Date.now() - lastSample)}`);
}, 1000);

// ---- buttons and keys ----

async function saveTrace() {
    const response = await ask('/trace?seconds=10', { method: 'POST' });
    if (!response.ok) {
        log(0, `no trace: ${await response.text()}`);
        return;
    }
    download(await response.blob(), 'pftrace', 'open it at ui.perfetto.dev');
}

function download(blob, ending, hint) {
    const link = element('a', {
        href: URL.createObjectURL(blob),
        download: `weir-${new Date().toISOString().replace(/[:.]/g, '-')}.${ending}`,
    });
    link.click();
    URL.revokeObjectURL(link.href);
    log(0, `saved ${link.download}: ${hint}`);
}

async function saveProfile() {
    const response = await ask('/file?name=profile');
    if (response.ok)
        download(await response.blob(), 'cpuprofile',
            "open it with the performance panel of Chromium's developer tools");
    else
        log(0, `no profile: ${(await response.text()).trim()}`);
}

async function toggleProfile() {
    profile.isWanted = true;
    const what = profile.state === 'running' ? 'profile-stop' : 'profile-start';
    const response = await ask(`/ask?what=${what}`, { method: 'POST' });
    if (!response.ok)
        log(0, `no profile: ${(await response.text()).trim()}`);
}

function pause() {
    isPaused = !isPaused;
    $('pause').setAttribute('aria-pressed', String(isPaused));
    setText($('pause'), isPaused ? 'Continue' : 'Pause');
}

async function drain() {
    if (confirm('Let the program finish its work and end, as at SIGTERM?'))
        log(0, (await (await ask('/drain', { method: 'POST' })).text()).trim());
}

async function askForHeap() {
    const response = await ask('/ask?what=heap', { method: 'POST' });
    if (!response.ok)
        log(0, `no heap figures: ${(await response.text()).trim()}`);
}

$('trace').onclick = saveTrace;
$('ask-heap').onclick = askForHeap;
$('profile').onclick = toggleProfile;
$('pause').onclick = pause;
$('drain').onclick = drain;
document.onkeydown = ({ key, ctrlKey, metaKey, altKey, target }) => {
    if (ctrlKey || metaKey || altKey || target.matches('input, textarea'))
        return;
    if (key === 'p')
        pause();
    else if (key === 't')
        saveTrace();
    else if (key === 'c' && !$('profile').hidden)
        toggleProfile();
    else if (key === 'h' && !$('ask-heap').hidden)
        askForHeap();
};

stayConnected();
