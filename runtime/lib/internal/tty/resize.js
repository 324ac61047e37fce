'use strict';
// Notices changes of a terminal's window size. Only while the program listens for 'resize', so that
// no signal is watched without need.

module.exports = (stream) => {
  const refresh = () => stream._refreshSize();
  stream.on('newListener', (event) => {
    if (event !== 'resize' || stream.listenerCount('resize') > 0) return;
    process.on('SIGWINCH', refresh);
  });
  stream.on('removeListener', (event) => {
    if (event === 'resize' && stream.listenerCount('resize') === 0) process.off('SIGWINCH', refresh);
  });
};
