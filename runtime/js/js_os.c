/* native('os'): the machine, for module os. */
#include "js.h"

#include <stdlib.h>
#include <string.h>
#include <netinet/in.h>

static JSValueRef fail(JSValueRef* exception, int err, const char* what) {
  *exception = js_uv_error(err, what, NULL, NULL);
  return js_undefined();
}

typedef int (*text_getter)(char* buffer, size_t* size);

static JSValueRef text_of(text_getter get, const char* what, JSValueRef* exception) {
  char text[4096];
  size_t size = sizeof(text);
  int err = get(text, &size);
  return err == 0 ? js_string(text) : fail(exception, err, what);
}

static JSValueRef os_hostname(JS_ARGS) {
  (void) ctx, (void) function, (void) self, (void) argc, (void) argv;
  return text_of(uv_os_gethostname, "uv_os_gethostname", exception);
}

static JSValueRef os_homedir(JS_ARGS) {
  (void) ctx, (void) function, (void) self, (void) argc, (void) argv;
  return text_of(uv_os_homedir, "uv_os_homedir", exception);
}

static JSValueRef os_tmpdir(JS_ARGS) {
  (void) ctx, (void) function, (void) self, (void) argc, (void) argv;
  return text_of(uv_os_tmpdir, "uv_os_tmpdir", exception);
}

static JSValueRef os_uname(JS_ARGS) {
  (void) ctx, (void) function, (void) self, (void) argc, (void) argv;
  uv_utsname_t name;
  int err = uv_os_uname(&name);
  if (err != 0)
    return fail(exception, err, "uv_os_uname");
  JSObjectRef result = js_object();
  js_set_string(result, "sysname", name.sysname);
  js_set_string(result, "release", name.release);
  js_set_string(result, "version", name.version);
  js_set_string(result, "machine", name.machine);
  return result;
}

static JSValueRef os_loadavg(JS_ARGS) {
  JS_UNUSED;
  double average[3] = {0, 0, 0};
  uv_loadavg(average);
  JSValueRef values[] = {js_number(average[0]), js_number(average[1]),
                         js_number(average[2])};
  return js_array(3, values);
}

static JSValueRef os_uptime(JS_ARGS) {
  (void) ctx, (void) function, (void) self, (void) argc, (void) argv;
  double uptime = 0;
  int err = uv_uptime(&uptime);
  return err == 0 ? js_number(uptime) : fail(exception, err, "uv_uptime");
}

static JSValueRef os_memory(JS_ARGS) {
  JS_UNUSED;
  JSValueRef values[] = {js_number((double) uv_get_free_memory()),
                         js_number((double) uv_get_total_memory()),
                         js_number((double) uv_get_constrained_memory())};
  return js_array(3, values);
}

static JSValueRef os_parallelism(JS_ARGS) {
  JS_UNUSED;
  return js_number(uv_available_parallelism());
}

static JSValueRef os_cpus(JS_ARGS) {
  (void) ctx, (void) function, (void) self, (void) argc, (void) argv;
  uv_cpu_info_t* cpus;
  int count;
  int err = uv_cpu_info(&cpus, &count);
  if (err != 0)
    return fail(exception, err, "uv_cpu_info");
  JSObjectRef list = js_array(0, NULL);
  for (int i = 0; i < count; i++) {
    JSObjectRef cpu = js_object(), times = js_object();
    js_set_string(cpu, "model", cpus[i].model);
    js_set_number(cpu, "speed", cpus[i].speed);
    js_set_number(times, "user", (double) cpus[i].cpu_times.user);
    js_set_number(times, "nice", (double) cpus[i].cpu_times.nice);
    js_set_number(times, "sys", (double) cpus[i].cpu_times.sys);
    js_set_number(times, "idle", (double) cpus[i].cpu_times.idle);
    js_set_number(times, "irq", (double) cpus[i].cpu_times.irq);
    js_set(cpu, "times", times);
    JSObjectSetPropertyAtIndex(js.ctx, list, (unsigned) i, cpu, NULL);
  }
  uv_free_cpu_info(cpus, count);
  return list;
}

static JSObjectRef interface_object(const uv_interface_address_t* interface) {
  char address[64] = "", netmask[64] = "", mac[18];
  const unsigned char* phys = (const unsigned char*) interface->phys_addr;
  bool six = interface->address.address4.sin_family == AF_INET6;
  if (six) {
    uv_ip6_name(&interface->address.address6, address, sizeof(address));
    uv_ip6_name(&interface->netmask.netmask6, netmask, sizeof(netmask));
  } else {
    uv_ip4_name(&interface->address.address4, address, sizeof(address));
    uv_ip4_name(&interface->netmask.netmask4, netmask, sizeof(netmask));
  }
  for (size_t i = 0; i < 6; i++) {
    static const char digits[] = "0123456789abcdef";
    mac[i * 3] = digits[phys[i] >> 4];
    mac[i * 3 + 1] = digits[phys[i] & 15];
    mac[i * 3 + 2] = i < 5 ? ':' : '\0';
  }
  JSObjectRef result = js_object();
  js_set_string(result, "name", interface->name);
  js_set_string(result, "address", address);
  js_set_string(result, "netmask", netmask);
  js_set_string(result, "family", six ? "IPv6" : "IPv4");
  js_set_string(result, "mac", mac);
  js_set(result, "internal", js_boolean(interface->is_internal));
  if (six)
    js_set_number(result, "scopeid", interface->address.address6.sin6_scope_id);
  return result;
}

static JSValueRef os_interfaces(JS_ARGS) {
  (void) ctx, (void) function, (void) self, (void) argc, (void) argv;
  uv_interface_address_t* interfaces;
  int count;
  int err = uv_interface_addresses(&interfaces, &count);
  if (err != 0)
    return fail(exception, err, "uv_interface_addresses");
  JSObjectRef list = js_array(0, NULL);
  for (int i = 0; i < count; i++)
    JSObjectSetPropertyAtIndex(js.ctx, list, (unsigned) i,
                               interface_object(&interfaces[i]), NULL);
  uv_free_interface_addresses(interfaces, count);
  return list;
}

static JSValueRef os_user(JS_ARGS) {
  (void) ctx, (void) function, (void) self, (void) argc, (void) argv;
  uv_passwd_t user;
  int err = uv_os_get_passwd(&user);
  if (err != 0)
    return fail(exception, err, "uv_os_get_passwd");
  JSObjectRef result = js_object();
  js_set_number(result, "uid", (double) user.uid);
  js_set_number(result, "gid", (double) user.gid);
  js_set_string(result, "username", user.username);
  js_set_string(result, "homedir", user.homedir);
  js_set(result, "shell", user.shell != NULL ? js_string(user.shell) : js_null());
  uv_os_free_passwd(&user);
  return result;
}

static JSValueRef os_priority(JS_ARGS) {
  (void) ctx, (void) function, (void) self;
  int priority = 0, err;
  uv_pid_t pid = js_arg_int(argc, argv, 0, 0);
  if (argc > 1) {
    err = uv_os_setpriority(pid, js_arg_int(argc, argv, 1, 0));
    return err == 0 ? js_undefined() : fail(exception, err, "uv_os_setpriority");
  }
  err = uv_os_getpriority(pid, &priority);
  return err == 0 ? js_number(priority) : fail(exception, err, "uv_os_getpriority");
}

void native_os(JSObjectRef exports) {
  static const struct js_method methods[] = {
      {"hostname", os_hostname},
      {"homedir", os_homedir},
      {"tmpdir", os_tmpdir},
      {"uname", os_uname},
      {"loadavg", os_loadavg},
      {"uptime", os_uptime},
      {"memory", os_memory},
      {"parallelism", os_parallelism},
      {"cpus", os_cpus},
      {"interfaces", os_interfaces},
      {"user", os_user},
      {"priority", os_priority},
      {NULL, NULL},
  };
  js_methods(exports, methods);
}
