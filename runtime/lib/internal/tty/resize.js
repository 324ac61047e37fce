'use strict';
// A terminal whose window changes: its stream looks at its size again. Only while
// somebody listens for 'resize', so that no signal is watched for nothing.

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
