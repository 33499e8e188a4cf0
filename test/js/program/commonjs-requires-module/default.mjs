export default class Thing {}
export let live = 1;
