export let value = 0;
export const count = () => ++value;
