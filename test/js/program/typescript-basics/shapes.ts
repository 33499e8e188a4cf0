export enum Kind { Square, Circle }
export interface Shape { kind: Kind; side: number }
export const area = ({ side }: Shape): number => side ** 2;
export type { Shape as Other };
