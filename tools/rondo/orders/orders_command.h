/* `rondo orders`: argv[0] is "orders". Returns an exit code. */
#ifndef RONDO_ORDERS_COMMAND_H
#define RONDO_ORDERS_COMMAND_H

int orders_main(int argc, char** argv);

#endif
