// What the packages take for globals, out of reach of programs.
export { TextEncoder, TextDecoder } from 'bytes/encoding';
