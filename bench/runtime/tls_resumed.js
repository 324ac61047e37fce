'use strict';
// Handshakes of TLS 1.3 that go on with a session; prints nanoseconds each.
require('./tls_peer').handshakes(true);
