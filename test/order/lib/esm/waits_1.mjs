console.log('waits 1 begins');
await null;
console.log('waits 1 goes on');
export const one = await Promise.resolve('one');
console.log('waits 1 ends');
