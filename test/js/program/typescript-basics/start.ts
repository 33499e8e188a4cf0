import { type Shape, area, Kind } from './shapes.ts';
import type { Nothing } from './missing.ts';
import * as common from './common.cts';
import { late } from './late.mjs';
import { Worker } from 'node:worker_threads';
import { type as systemType, platform } from 'node:os'; // never used: not imported

interface Named { name: string }
type Pair<A, B = A> = [A, B];
declare const undefinedAtRuntime: number;
declare global { interface Array<T> { nothing?: T } }

enum Color { Red, Green = 'green' as any, Blue = 1 << 4, Last }
const enum Size { Small = 'S', Large = 'L' }

abstract class Base<T extends object = {}> implements Named {
    declare ignored: string;
    readonly tags?: string[];
    static count: number = 0;
    #secret: number = 41;
    constructor(public name: string, protected readonly size: Size = Size.Small) {
        Base.count++;
    }
    abstract describe(): string;
    secret(this: Base<T>): number { return this.#secret + 1; }
    [key: string]: unknown;
}

class Derived extends Base {
    override describe(): string { return `${this.name as string}:${this.size}`; }
}

function overload(x: string): string;
function overload(x: number): number;
function overload<T>(x: T): T { return x!; }

function assertIsString(value: unknown): asserts value is string {
    if (typeof value !== 'string')
        throw new TypeError('not a string');
}

const made = new Derived('made', Size.Large);
console.log(made.describe(), made.secret(), Base.count, Object.keys(made).join());
console.log(Color.Red, Color[0], Color.Green, Color.Blue, Color.Last, Size.Large);
console.log(overload<number>(5), overload('x'), area({ kind: Kind.Square, side: 3 } satisfies Shape));
console.log(common.value, common.twice(4), late(2));
const generic = <T,>(x: T): Pair<T> => [x, x], map = new Map<string, Pair<number>>([['a', [1, 2]]]);
console.log(generic<string>('g'), map.get('a')!.length, <number>(<unknown>'cast'));
let a = 1 < 2, b = (a as boolean)
;[a, b] = [b, a];
let optional: { x?: { y: number } } | undefined = undefined;
console.log(optional?.x!.y, typeof undefinedAtRuntime);

// Positions: the line and the column are those of this file.
function place(   label   : string   ,  error   : Error ): void {
    console.log(label, /start\.ts:\d+:\d+/.exec(error.stack as string)?.[0]);
}
                 place( 'first' as string , new Error('x') as Error ); /*  */ place('second', new Error('y'));
type Long = {
    a: string;
    b: `a
    b`;
};
place('third', new Error('z'));

try {
    assertIsString(5 as unknown);
} catch (error: unknown) {
    place((error as Error).message, error as Error);
}

const worker: Worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: 20 as number });
worker.on('message', (answer: number): void => console.log('worker', answer));
