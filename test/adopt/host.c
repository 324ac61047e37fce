/* Has no libuv: loads a plugin, uses and unloads it, twice. Or is linked with it. Or, if
 * another file and librondo-adopt.so are named too, loads the plugin, gives its name to
 * the other file, and only then lets Rondo look. */
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
  for (int i = 0; i < (argc == 4 ? 1 : 2); i++) {
    void* plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (plugin == NULL) {
      puts(dlerror());
      return 1;
    }
    if (argc == 4 && (rename(argv[2], argv[1]) != 0 || dlopen(argv[3], RTLD_NOW) == NULL))
      return 1;
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
