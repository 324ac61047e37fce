/* What getaddrinfo and getnameinfo share. */
#ifndef RONDO_RESOLVER_H
#define RONDO_RESOLVER_H

/* From the C library's EAI_… to UV_EAI_…, or to the system's error that EAI_SYSTEM hides
 * in errno. 0 stays 0. */
int resolver_error(int code);

#endif
