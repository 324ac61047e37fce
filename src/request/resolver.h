/* The common part of getaddrinfo and getnameinfo. */
#ifndef RONDO_RESOLVER_H
#define RONDO_RESOLVER_H

/* From the C library's EAI_… to UV_EAI_…, or to the system's error that EAI_SYSTEM hides
 * in errno. 0 stays 0. */
int resolver_error(int code);

/* Functions that run on the pool, which recognises look-ups by them. */
struct uv__work;
void resolver_address_work(struct uv__work* w);
void resolver_name_work(struct uv__work* w);

#endif
