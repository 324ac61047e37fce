'use strict';
// An event system by hand: it awaits a promise to sleep, enQueue wakes it.
class EventSystem {
  constructor() {
    this.queue = [];
    this.wake = null;
  }

  enQueue(event) {
    this.queue.push(event);
    if (this.wake) {
      this.wake();
      this.wake = null;
    }
  }

  async run(count) {
    while (count > 0) {
      if (this.queue.length === 0) await new Promise((resolve) => this.wake = resolve);
      const event = this.queue.shift();
      event();
      count--;
    }
  }
}
const system = new EventSystem();
system.run(3).then(() => console.log('done'));
system.enQueue(() => console.log(1));
setTimeout(() => system.enQueue(() => console.log(2)), 10);
setTimeout(() => system.enQueue(() => console.log(3)), 30);
