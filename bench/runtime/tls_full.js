'use strict';
// Full handshakes of TLS 1.3, client and server in one process; prints nanoseconds each.
require('./tls_peer').handshakes(false);
