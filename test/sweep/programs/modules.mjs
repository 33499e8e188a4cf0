// Modules: every form of import and export, cycles through a name, errors.
import d, * as all from 'export default 1; export let a = 2, b = [3]; export function f() { return a } export class C {}';
import { a as renamed, f } from 'export default 1; export let a = 2, b = [3]; export function f() { return a } export class C {}';
import { q } from 'export * from "export let q = 1, r = 2"; export { r as s } from "export let q = 1, r = 2"; export * as ns from "export let z = 1"';
import 'await Promise.resolve(); export default async function () {}';
import 'import "let self = import.meta; export { self as default, self as \'a string\' }"; export default class {}';
export { renamed as again, f as default }; export * from 'export let x = 1'; export const { v, w = 2 } = { v: 1 };
const later = await import('export let lazy = 1; await 0'); later.lazy; f(); Object.keys(all); import.meta.url;
for (const bad of ['syntax error', 'throw new Error("at once")', 'import { no } from "export let yes = 1"', 'await 1; throw 2', 'export * from "("'])
    try { await import(bad); } catch (e) { String(e); e?.stack; }
await using1(); async function using1() { return await import('export default (await import("export let deep = 1")).deep'); }
