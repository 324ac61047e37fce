// A look-up and a file (A3)
//
// A name is looked up, and a file is asked for. Which answer is first?

require('dns').lookup('localhost', () => console.log('name'));
require('fs').stat('/', () => console.log('file'));

// Answer: Either. Both are work of the pool, of which look-ups get at most half, so that
// a dead name server never stops files.
