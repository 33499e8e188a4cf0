export function late(x: number): string { return `late ${x satisfies number}`; }
