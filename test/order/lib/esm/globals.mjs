export let x = 1;
export const Map = 'mine';
export const Array = 7;
export const change = () => { x++; };
