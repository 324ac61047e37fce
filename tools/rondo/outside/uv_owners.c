/* Classes of objects: see uv_owners.h. */
#include "uv_owners.h"
#include "trace_model.h"

#include <stdlib.h>
#include <string.h>

struct owner {
  uint64_t table;
  char* name;
};

/* Few classes own all handles: each is looked up once. */
static struct owner owners[64];
static size_t owner_count;

static char* class_of_table(const struct target* target, uint64_t table) {
  const struct image* image = image_at(target, table);
  const char* mangled = image == NULL ? NULL : image_object(image, table);
  return mangled == NULL || strncmp(mangled, "_ZTV", 4) != 0 ? NULL
                                                             : symbol_class_name(mangled);
}

const char* owner_class(const struct target* target, uint64_t object) {
  uint64_t table;
  if (object == 0 || object % 8 != 0 || !target_word(target, object, &table) ||
      table % 8 != 0 || image_at(target, table) == NULL)
    return "";
  for (size_t i = 0; i < owner_count; i++) {
    if (owners[i].table == table)
      return owners[i].name == NULL ? "" : owners[i].name;
  }
  char* name = class_of_table(target, table);
  size_t place = owner_count < sizeof(owners) / sizeof(owners[0]) ? owner_count++ : 0;
  free(owners[place].name);
  owners[place] = (struct owner){table, name};
  return name == NULL ? "" : name;
}
