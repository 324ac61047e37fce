/* Has no libuv: loads a plugin, uses and unloads it, twice. Or is linked with it. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#ifdef LINKED
void plugin_run(void);
int main(void) {
  plugin_run();
  return 7;
}
#else
int main(int argc, char** argv) {
  (void) argc;
  for (int i = 0; i < 2; i++) {
    void* plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (plugin == NULL) {
      puts(dlerror());
      return 1;
    }
    void* symbol = dlsym(plugin, "plugin_run");
    void (*run)(void);
    memcpy(&run, &symbol, sizeof(run));
    run();
    dlclose(plugin);
    printf("still loaded: %d\n", dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) != NULL);
  }
  return 7;
}
#endif
