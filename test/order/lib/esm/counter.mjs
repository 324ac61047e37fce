export let count = 1;
export function increment() { count++; }
export function receiver() { return this; }
export default () => 'default';
export class Thing { seen = count; }
export const { p, q: [r = 3, ...rest], ...others } = { p: 1, q: [undefined, 2, 3], z: 9 }, text = `a${`b${1}`}`, odd = /[/]\/"/.test('x')
export var later
later = 'assigned'
export { count as 'a name that is none', increment as default2 };
export function tag(strings, ...values) { return [this, strings.join('|'), values]; }
