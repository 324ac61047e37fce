export const one = 1, both = 'of one', own = 'hidden'; export default 'not passed on';
