// SPDX-License-Identifier: MIT
// The modules of weir, for TypeScript: `weir types > weir.d.ts`.
// They need the library "esnext", and the types of fetch and of AbortSignal: those of
// Node (@types/node), or the library "dom".

declare module 'weir:jobs' {
    /** What a job can be found by. */
    type JobId = number | { readonly id: number };
    type State = 'ready' | 'running' | 'scheduled' | 'behind' | 'waiting' | 'done' | 'dead' |
        'cancelled';

    interface JobsOptions {
        /** Of this process, for `job.owner`. */
        name?: string;
        /** Bytes; 1 MiB by default. */
        payloadLimit?: number;
        /** The longest wait for another process or the server; 10,000 by default. */
        busyTimeout?: number;
        /** Of the drain at SIGTERM. */
        drain?: DrainOptions;
        /** false: SIGTERM and SIGINT do not drain. */
        signals?: boolean;
    }

    interface DrainOptions {
        /** When the signals of running handlers abort; at most 5,000 by default. */
        soft?: number;
        /** When their jobs are given back; 10,000 by default. */
        deadline?: number;
    }

    interface DrainReport {
        forced: boolean;
        /** What was given back at the deadline; `stack` tells where an async handler is. */
        holders: { id: number; token: number; queue: string; attempt: number; age: number;
            stack: string | undefined }[];
    }

    interface JobOptions {
        /** Jobs with the same key run one at a time, in the order of adding. */
        key?: string;
        /** Adding another one while this one is not finished finds this one. */
        unique?: string;
        /** A larger one comes first. */
        priority?: number;
        delay?: number;
        runAt?: Date | number;
        /** 10 by default. */
        attempts?: number;
        backoff?: number;
        backoffMax?: number;
        /** Of an attempt. */
        timeout?: number;
        /** How long the result is kept. */
        keep?: number;
        /** Jobs that must be done first. */
        after?: JobId | readonly JobId[];
    }

    interface ClaimsOptions {
        prefetch?: number;
        lease?: number;
    }

    interface WorkOptions extends ClaimsOptions {
        concurrency?: number;
    }

    interface Limits {
        concurrency?: number;
        keyConcurrency?: number;
        /** Jobs that begin in a period. */
        rate?: number;
        /** 1,000 by default. */
        period?: number;
        /** Jobs with one key that begin in a keyPeriod. */
        keyRate?: number;
        /** 1,000 by default. */
        keyPeriod?: number;
    }

    interface Plan<Data> {
        /** minute hour day-of-month month day-of-week, or @daily and the like. */
        cron: string;
        /** Such as 'Europe/Berlin'; 'UTC' by default. */
        zone?: string;
        missed?: 'skip' | 'one';
        data?: Data;
        options?: Omit<JobOptions, 'unique' | 'delay' | 'runAt' | 'after'>;
    }

    interface QueueState {
        name: string;
        paused: boolean;
        concurrency: number | undefined;
        keyConcurrency: number;
        rate: number | undefined;
        period: number | undefined;
        keyRate: number | undefined;
        keyPeriod: number | undefined;
        oldest: Date | undefined;
        jobs: Record<State, number>;
    }

    class Job<Data = any, Result = any> {
        protected constructor();
        readonly id: number;
        readonly queue: string;
        readonly state: State;
        readonly attempt: number;
        readonly attempts: number;
        readonly priority: number;
        readonly key: string | undefined;
        readonly unique: string | undefined;
        readonly addedAt: Date | undefined;
        readonly runAt: Date | undefined;
        readonly finishedAt: Date | undefined;
        readonly timeout: number | undefined;
        /** Grows with each claim, and is never used again. */
        readonly token: number | undefined;
        readonly owner: string | undefined;
        /** Milliseconds until its lease would have ended, when it was read. */
        readonly lease: number | undefined;
        /** From 0 to 1. */
        readonly progress: number;
        /** Of the last failure, with its stack. */
        readonly reason: string | undefined;
        readonly data: Data;
        readonly bytes: Uint8Array;
        readonly result: Result | undefined;
        readonly resultBytes: Uint8Array;
    }

    class ClaimedJob<Data = any, Result = any> extends Job<Data, Result> {
        /** Aborts when the handler should stop. */
        readonly signal: AbortSignal;
        readonly isSettled: boolean;
        updateProgress(value: number): Promise<void>;
        complete(result?: Result): Promise<void>;
        fail(error: unknown, options?: { final?: boolean; delay?: number }): Promise<void>;
        release(options?: { delay?: number }): Promise<void>;
    }

    /** The job is not tried again. */
    class UnrecoverableError extends Error {}

    /** The next attempt begins after `delay` milliseconds. */
    class RetryError extends Error {
        constructor(message?: string, options?: ErrorOptions & { delay?: number });
        readonly delay: number;
    }

    class JobWorker {
        private constructor();
        /** Those whose handlers are running. */
        readonly jobs: ClaimedJob[];
        stop(): void;
    }

    type Handler<Data, Result> = (job: ClaimedJob<Data, Result>, signal: AbortSignal) =>
        Result | void | Promise<Result | void>;

    class Queue<Data = any, Result = any> {
        private constructor();
        readonly name: string;
        add(data?: Data, options?: JobOptions): Promise<{ id: number; isNew: boolean }>;
        addAll(list: Iterable<Data>, options?: JobOptions):
            Promise<{ id: number; isNew: boolean }[]>;
        work(handler: Handler<Data, Result> | import('weir:pool').Pool<any, Result>,
            options?: WorkOptions): JobWorker;
        /** For a loop, which handles one job at a time. */
        claims(options?: ClaimsOptions): AsyncGenerator<ClaimedJob<Data, Result>, void, void>;
        limit(limits: Limits): Promise<void>;
        schedule(name: string, plan: Plan<Data>): Promise<Date>;
        unschedule(name: string): Promise<boolean>;
        list(options: { state: State; after?: JobId; limit?: number }):
            Promise<Job<Data, Result>[]>;
        pause(): Promise<void>;
        resume(): Promise<void>;
        retryAll(): Promise<number>;
        stats(): Promise<QueueState>;
    }

    interface JobsEvents {
        completed: [job: ClaimedJob, result: any];
        failed: [job: ClaimedJob, error: any];
        lost: [job: ClaimedJob, error: Error];
        timeout: [job: ClaimedJob, error: Error];
        error: [error: Error];
    }

    /** It has all that an EventEmitter has. */
    class Jobs {
        /** A file, or postgres://user@host/database. */
        constructor(path: string, options?: JobsOptions);
        readonly path: string;
        queue<Data = any, Result = any>(name: string, defaults?: JobOptions): Queue<Data, Result>;
        get(id: JobId): Promise<Job | undefined>;
        cancel(id: JobId): Promise<boolean>;
        retry(id: JobId): Promise<boolean>;
        queues(): Promise<QueueState[]>;
        schedules(): Promise<
            { queue: string; name: string; cron: string; zone: string; next: Date }[]>;
        drain(options?: DrainOptions): Promise<DrainReport>;
        close(): Promise<void>;
        [Symbol.asyncDispose](): Promise<void>;
        on<Name extends keyof JobsEvents>(name: Name,
            listener: (...args: JobsEvents[Name]) => void): this;
        once<Name extends keyof JobsEvents>(name: Name,
            listener: (...args: JobsEvents[Name]) => void): this;
        off<Name extends keyof JobsEvents>(name: Name,
            listener: (...args: JobsEvents[Name]) => void): this;
    }
}

declare module 'weir:pool' {
    interface PoolOptions {
        /** Threads; 4 by default. */
        size?: number;
        /** One to three names, the most urgent first. */
        priorities?: readonly string[];
        /** Of each worker. */
        resourceLimits?: {
            maxOldGenerationSizeMb?: number; stackSizeMb?: number; maxBlockedMs?: number };
    }

    interface RunOptions {
        priority?: string;
        signal?: AbortSignal;
        transfer?: readonly object[];
        /** For reports. */
        name?: string;
    }

    interface PoolStats {
        submitted: number;
        completed: number;
        failed: number;
        cancelled: number;
        /** Workers that have ended. */
        replaced: number;
        pending: number;
        queued: number;
        steals: number;
        queueTime: { mean: number; max: number };
    }

    class Pool<Value = any, Result = any> {
        /** A function whose text can stand alone, or a module that exports one. */
        constructor(task: ((value: Value) => Result | Promise<Result>) | string | URL,
            options?: PoolOptions);
        readonly size: number;
        readonly stats: PoolStats;
        run(value?: Value, options?: RunOptions): Promise<Awaited<Result>>;
        drain(options?: { deadline?: number }):
            Promise<PoolStats & { isLate: boolean; left: (string | undefined)[] }>;
        [Symbol.dispose](): void;
        [Symbol.asyncDispose](): Promise<void>;
    }
}

declare module 'weir:http' {
    interface Context {
        /** Aborts when the client has left. */
        readonly signal: AbortSignal;
        /** Aborts when the server begins to drain. */
        readonly draining: AbortSignal;
        readonly remoteAddress: string | undefined;
        readonly remotePort: number | undefined;
        upgrade(options?: UpgradeOptions): { socket: WebSocket; response: Response };
        serveFile(root: string): Response;
    }

    interface UpgradeOptions {
        protocol?: string;
        perMessageDeflate?: boolean;
    }

    interface ServeOptions {
        fetch?: (request: Request, context: Context) => Response | Promise<Response>;
        /** The answer to an error of `fetch`. */
        error?: (error: any) => Response | Promise<Response>;
        /** A directory whose files are served. */
        static?: string;
        port?: number;
        hostname?: string;
        /** Of a Unix socket. */
        path?: string;
        mode?: number;
        backlog?: number;
        reusePort?: boolean;
        ipv6Only?: boolean;
        tls?: {
            cert: string | Uint8Array;
            key: string | Uint8Array;
            ca?: string | Uint8Array;
            requestCert?: boolean;
            rejectUnauthorized?: boolean;
        };
        /** Drains the server. */
        signal?: AbortSignal;
        /** false: SIGTERM and SIGINT do not drain. */
        signals?: boolean;
        drain?: { delay?: number; deadline?: number; idle?: number; linger?: number };
        health?: boolean;
        allowHalfOpen?: boolean;
        maxHeaderSize?: number;
        maxTargetSize?: number;
        maxHeaders?: number;
        maxBodySize?: number;
        maxConnections?: number;
        maxConnectionsPerAddress?: number;
        maxRequestsPerConnection?: number;
        headerTimeout?: number;
        requestTimeout?: number;
        keepAliveTimeout?: number;
        writeTimeout?: number;
    }

    interface Counts {
        connections: number;
        requests: number;
        responses: number;
        refused: number;
        cut: number;
        crossed: number;
    }

    interface Holder {
        phase: 'new' | 'idle' | 'reading' | 'busy' | 'upgraded' | 'closing';
        method: string;
        target: string;
        remoteAddress: string;
        age: number;
        received: number;
        sent: number;
    }

    class Server {
        private constructor();
        readonly hostname: string | undefined;
        readonly port: number | undefined;
        readonly path: string | undefined;
        readonly url: URL | undefined;
        readonly draining: AbortSignal;
        readonly finished: Promise<Counts & { forced: boolean }>;
        drain(options?: { deadline?: number }): Promise<Counts & { forced: boolean }>;
        close(): Promise<Counts & { forced: boolean }>;
        report(): Counts & { holders: Holder[] };
        ref(): this;
        unref(): this;
        [Symbol.asyncDispose](): Promise<void>;
    }

    function serve(options: ServeOptions | NonNullable<ServeOptions['fetch']>): Promise<Server>;
    function upgradeWebSocket(request: Request, options?: UpgradeOptions):
        { socket: WebSocket; response: Response };
}

declare module 'weir:service' {
    type ServiceState = 'INIT' | 'RUNNING' | 'DRAINING' | 'CLOSED';

    interface Report {
        state: ServiceState;
        closed: boolean;
        inflight: number;
        holders: { name: string; thread: number; age: number }[];
    }

    interface Ticket {
        readonly name: string;
        /** Returns whether it was still inside. */
        exit(): boolean;
        [Symbol.dispose](): void;
    }

    class Service {
        constructor(options?: { name?: string; deadline?: number });
        static from(handle: string | { readonly handle: string }): Service;
        readonly handle: string;
        readonly name: string;
        readonly state: ServiceState;
        readonly inflight: number;
        readonly closed: Promise<void>;
        start(): boolean;
        tryEnter(name?: string): Ticket | null;
        exit(ticket?: Ticket): void;
        run<Result>(fn: () => Result, name?: string): Promise<Awaited<Result>>;
        report(): Report;
        drain(options?: { deadline?: number }): Promise<Report>;
        [Symbol.asyncDispose](): Promise<void>;
    }
}

declare module 'weir:sqlite' {
    type Value = null | number | bigint | string | Uint8Array;
    type Parameter = Value | ArrayBufferView | Record<string, Value | ArrayBufferView>;
    type Row = Record<string, Value>;

    interface OpenOptions {
        readOnly?: boolean;
        enableForeignKeyConstraints?: boolean;
        enableDoubleQuotedStringLiterals?: boolean;
        allowExtension?: boolean;
        timeout?: number;
        readBigInts?: boolean;
        returnArrays?: boolean;
        allowBareNamedParameters?: boolean;
        allowUnknownNamedParameters?: boolean;
    }

    class Statement<Result = Row> {
        private constructor();
        readonly sourceSQL: string;
        run(...parameters: Parameter[]):
            Promise<{ changes: number | bigint; lastInsertRowid: number | bigint }>;
        get(...parameters: Parameter[]): Promise<Result | undefined>;
        all(...parameters: Parameter[]): Promise<Result[]>;
        iterate(...parameters: Parameter[]): AsyncGenerator<Result, void, void>;
        columns(): { column: string | null; database: string | null; name: string;
            table: string | null; type: string | null }[];
    }

    class Database {
        private constructor();
        static open(path: string | Uint8Array | URL, options?: OpenOptions): Promise<Database>;
        readonly isOpen: boolean;
        exec(sql: string): Promise<void>;
        prepare<Result = Row>(sql: string): Promise<Statement<Result>>;
        transaction<Result>(run: (database: Database) => Result,
            options?: { mode?: 'deferred' | 'immediate' | 'exclusive' }): Promise<Awaited<Result>>;
        backup(path: string | Uint8Array | URL, options?: { rate?: number; source?: string;
            target?: string; progress?: (state: { totalPages: number; remainingPages: number }) =>
                void }): Promise<number>;
        interrupt(): void;
        close(): Promise<void>;
        [Symbol.asyncDispose](): Promise<void>;
    }
}

declare module 'weir:live' {
    interface Span {
        readonly name: string;
        readonly traceId: string;
        readonly spanId: string;
        readonly isRecording: boolean;
        setAttribute(name: string, value: unknown): this;
        recordError(error: unknown): this;
    }

    interface Waiting {
        name: string;
        file: string;
        line: number;
        column: number;
        count: number;
    }

    /** Times are in milliseconds. */
    interface WaitingTimer extends Waiting {
        due: number;
        delay: number;
        repeats: boolean;
        hasRef: boolean;
    }

    interface WaitingPromise extends Waiting {
        age: number;
        awaited: boolean;
    }

    interface Pending {
        timers: WaitingTimer[];
        promises: WaitingPromise[];
        otherTimers: number;
        otherPromises: number;
    }

    interface HeapSummary {
        allocated: number;
        objects: number;
        objectBytes: number;
        strings: number;
        stringBytes: number;
        atoms: number;
        atomBytes: number;
        shapes: number;
        shapeBytes: number;
        functions: number;
        functionBytes: number;
        classes: { name: string; count: number; bytes: number }[];
    }

    /** Save what the flight recorder has.  Resolves to the name of the file. */
    function save(path?: string, options?: { seconds?: number }): Promise<string>;
    function span<Result>(name: string, fn: (span: Span) => Result): Result;
    function span<Result>(name: string, options: { attributes?: Record<string, unknown> },
        fn: (span: Span) => Result): Result;
    function activeSpan(): Span | undefined;
    function heapSummary(): HeapSummary;
    /** What the calling thread waits for. */
    function pending(): Pending;
    const metrics: { (): string; readonly contentType: string };
}

declare module 'weir:explore' {
    /** From 0 to count - 1; an exhaustive search tries each. */
    function choose(count: number): number;
    function reachable(name: string): void;
    /** `fn` must be true after each operation of this thread on shared memory. */
    function invariant(name: string, fn: () => boolean): void;
    function isActive(): boolean;
}
