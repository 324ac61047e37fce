import './plain_2.mjs';
console.log('waits 2 begins');
await new Promise((resolve) => setTimeout(resolve, 5));
console.log('waits 2 ends');
export default 'two';
