// Timers come in the order of their times (T1)
//
// Which is first: the timer that was started first, or the one that is due first?

setTimeout(() => console.log('30 ms'), 30);
setTimeout(() => console.log('10 ms'), 10);
setTimeout(() => console.log('20 ms'), 20);

// Answer: By due time. However late the loop is, a timer that is due earlier comes
// first.
