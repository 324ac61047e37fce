-- Every part of libuv's interface that luv offers to Lua.  Each feature prints
-- one line; nothing printed depends on time or on the machine, so that runs on
-- two libraries can be compared line by line.

local uv = require("luv")

local function show(value)
  if type(value) ~= "table" then return tostring(value) end
  local parts, last = {}, 0
  for key in pairs(value) do
    if type(key) == "number" then last = math.max(last, key) end
  end
  for i = 1, last do parts[i] = show(value[i]) end
  return "[" .. table.concat(parts, ", ") .. "]"
end

local count, failed = 0, false
local function feature(name, run)
  count = count + 1
  local ok, result = xpcall(run, debug.traceback)
  -- A feature that failed halfway may have left handles that never end.
  if ok then uv.run() end
  if ok and type(result) == "function" then ok, result = xpcall(result, debug.traceback) end
  if not ok then failed = true end
  print(name .. ": " .. (ok and "" or "FAILED ") .. show(result))
end

-- Starts a listener, answers each connection with what it sends.
local function echo_server(server)
  server:listen(128, function(err)
    assert(not err, err)
    local peer = getmetatable(server).__name == "uv_tcp" and uv.new_tcp() or uv.new_pipe(false)
    server:accept(peer)
    peer:read_start(function(read_err, data)
      assert(not read_err, read_err)
      if data then peer:write(data) else peer:shutdown(function() peer:close() end) end
    end)
  end)
end

-- Sends data over a connected stream, gives all that comes back to done().
local function talk(client, data, done)
  local parts = {}
  client:read_start(function(err, chunk)
    assert(not err, err)
    if chunk then parts[#parts + 1] = chunk return end
    client:close()
    done(table.concat(parts))
  end)
  client:write(data, function(err) assert(not err, err) client:shutdown() end)
end

feature("phases come in order", function()
  local seen = {}
  local function note(word) seen[#seen + 1] = word end
  local idle, prepare, check, timer = uv.new_idle(), uv.new_prepare(), uv.new_check(), uv.new_timer()
  timer:start(0, 0, function() note("timer") timer:close(function() note("timer closed") end) end)
  idle:start(function() note("idle") idle:close() end)
  prepare:start(function() note("prepare") prepare:close() end)
  check:start(function() note("check") check:close() end)
  return function() return seen end
end)

feature("timers: order, repeat, again, due time", function()
  local seen, ticks = {}, 0
  for i, ms in ipairs({ 9, 3, 6, 3 }) do
    local timer = uv.new_timer()
    timer:start(ms, 0, function() seen[#seen + 1] = i timer:close() end)
  end
  local repeating = uv.new_timer()
  repeating:start(1, 2, function()
    ticks = ticks + 1
    if ticks == 4 then repeating:stop() repeating:again() end
    if ticks == 6 then repeating:close() end
  end)
  assert(repeating:get_repeat() == 2 and repeating:get_due_in() <= 1)
  repeating:set_repeat(1)
  local fresh = uv.new_timer()
  local _, err = fresh:again()
  fresh:close()
  return function() return { seen, ticks, err or "none" } end
end)

feature("references and the loop's life", function()
  local timer = uv.new_timer()
  timer:start(100000, 0, function() end)
  local alive = uv.loop_alive()
  timer:unref()
  local after = { alive, uv.loop_alive(), timer:has_ref(), timer:is_active(), timer:is_closing() }
  timer:close()
  after[#after + 1] = timer:is_closing()
  local kinds = 0
  uv.walk(function() kinds = kinds + 1 end)
  return { after, kinds, uv.loop_mode() or "not running", uv.backend_timeout() >= 0, uv.backend_fd() >= 0 }
end)

feature("stop ends a run", function()
  local ticks, timer = 0, uv.new_timer()
  timer:start(1, 1, function()
    ticks = ticks + 1
    uv.stop()
  end)
  uv.run() uv.run("once") uv.run("nowait")
  timer:close()
  return ticks >= 2
end)

feature("async from threads", function()
  local calls = {}
  local async
  async = uv.new_async(function(a, b) calls[#calls + 1] = a + b async:close() end)
  local thread = uv.new_thread(function(handle) handle:send(20, 22) end, async)
  return function() thread:join() return calls end
end)

feature("work in the pool", function()
  local results = {}
  local work = uv.new_work(function(n) return n * n end, function(square) results[#results + 1] = square end)
  for i = 1, 20 do work:queue(i) end
  return function() table.sort(results) return results end
end)

feature("tcp echo, ten clients", function()
  local server = uv.new_tcp()
  server:bind("127.0.0.1", 0)
  local address = server:getsockname()
  echo_server(server)
  local good, left, data = 0, 10, ("0123456789abcdef"):rep(8192)
  for _ = 1, 10 do
    local client = uv.new_tcp()
    client:nodelay(true) client:keepalive(true, 60)
    client:connect("127.0.0.1", address.port, function(err)
      assert(not err, err)
      assert(client:getpeername().port == address.port)
      talk(client, data, function(back)
        if back == data then good = good + 1 end
        left = left - 1
        if left == 0 then server:close() end
      end)
    end)
  end
  return function() return { good, address.family, address.ip } end
end)

feature("tcp: refused, in use, try_write, reset", function()
  local seen = {}
  local client = uv.new_tcp()
  client:connect("127.0.0.1", 1, function(err) seen[1] = err client:close() end)
  local one, two = uv.new_tcp(), uv.new_tcp()
  one:bind("127.0.0.1", 0)
  one:listen(1, function()
    local peer = uv.new_tcp()
    one:accept(peer)
    seen[3] = peer:try_write("quick")
    peer:read_start(function() peer:close_reset(function() one:close() end) end)
  end)
  two:bind("127.0.0.1", one:getsockname().port)
  local _, err = two:listen(1, function() end)
  seen[2] = err
  two:close()
  local third = uv.new_tcp()
  third:connect("127.0.0.1", one:getsockname().port, function()
    third:read_start(function(read_err, data)
      if data then return third:write("reset me") end
      seen[4] = read_err or "end"
      third:close()
    end)
  end)
  return function() return seen end
end)

feature("pipes: named, paired, waiting data", function()
  local server = uv.new_pipe(false)
  server:bind("luv.sock")
  server:chmod("rw")
  echo_server(server)
  local client, answer, paired = uv.new_pipe(false), nil, {}
  client:connect("luv.sock", function(err)
    assert(not err, err)
    talk(client, "over a named pipe", function(back) answer = back server:close() end)
  end)
  local names = { server:getsockname() }
  local pair = uv.pipe({ nonblock = true }, { nonblock = true })
  local reader, writer = uv.new_pipe(false), uv.new_pipe(false)
  reader:open(pair.read) writer:open(pair.write)
  reader:read_start(function(_, data)
    if data then paired[#paired + 1] = data else reader:close() end
  end)
  writer:write({ "in ", "three ", "parts" }, function() writer:close() end)
  return function() return { answer, names, table.concat(paired), reader:is_readable(), writer:is_writable() } end
end)

feature("udp: sent, tried, connected", function()
  local seen, server, client = {}, uv.new_udp(), uv.new_udp()
  server:bind("127.0.0.1", 0)
  server:recv_start(function(err, data, from)
    assert(not err, err)
    if not data then return end
    seen[#seen + 1] = data
    if data == "last" then server:close() client:close() return end
    server:send("echo " .. data, from.ip, from.port, function() end)
  end)
  local port = server:getsockname().port
  client:bind("127.0.0.1", 0)
  client:set_broadcast(true) client:set_ttl(5) client:set_multicast_ttl(3) client:set_multicast_loop(true)
  client:recv_start(function(_, data)
    if not data then return end
    seen[#seen + 1] = data
    client:connect("127.0.0.1", port)
    assert(client:getpeername().port == port)
    client:try_send("last", nil, nil)
  end)
  client:send("first", "127.0.0.1", port, function(err) assert(not err, err) end)
  return function() return { seen, client:get_send_queue_size(), client:get_send_queue_count() } end
end)

feature("poll on a descriptor", function()
  local pair = uv.socketpair(nil, nil, { nonblock = true }, { nonblock = true })
  local seen, poll, sender = {}, uv.new_poll(pair[1]), uv.new_tcp()
  sender:open(pair[2])
  poll:start("r", function(err, events)
    seen[#seen + 1] = err or events
    poll:stop() poll:close() sender:close()
    uv.fs_close(pair[1])
  end)
  sender:write("x")
  return function() return seen end
end)

feature("signals, once and more", function()
  local seen, signal, once = {}, uv.new_signal(), uv.new_signal()
  signal:start("sigusr1", function(name)
    seen[#seen + 1] = name
    if #seen < 5 then uv.kill(uv.os_getpid(), "sigusr1") else signal:close() once:close() end
  end)
  uv.signal_start_oneshot(once, "sigusr1", function(name) seen[#seen + 1] = "once " .. name end)
  uv.kill(uv.os_getpid(), "sigusr1")
  return function() table.sort(seen) return seen end
end)

feature("processes: output, code, signal, errors", function()
  local seen, out = {}, uv.new_pipe(false)
  local child
  child = uv.spawn("sh", { args = { "-c", "echo $WORD; exit 9" }, env = { "WORD=spoken" }, stdio = { nil, out, 2 } },
    function(code, signal) seen[2] = code .. "/" .. signal child:close() end)
  out:read_start(function(_, data) if data then seen[1] = data else out:close() end end)
  local sleeper
  sleeper = uv.spawn("sleep", { args = { "100" } }, function(code, signal)
    seen[3] = code .. "/" .. signal
    sleeper:close()
  end)
  sleeper:kill("sigterm")
  local _, err, name = uv.spawn("no-such-program", {}, function() end)
  return function() return { seen, err, name } end
end)

feature("files, synchronous", function()
  local file = assert(uv.fs_open("sync", "w+", tonumber("600", 8)))
  local seen = { uv.fs_write(file, "hello world", 0), uv.fs_read(file, 5, 6), uv.fs_fstat(file).size }
  uv.fs_fsync(file) uv.fs_fdatasync(file) uv.fs_ftruncate(file, 5) uv.fs_fchmod(file, tonumber("640", 8))
  uv.fs_futime(file, 1000, 2000)
  uv.fs_close(file)
  local stat = uv.fs_stat("sync")
  seen[4] = { stat.size, stat.mode % 512, stat.mtime.sec, stat.type }
  uv.fs_link("sync", "hard") uv.fs_symlink("sync", "soft") uv.fs_rename("hard", "moved")
  seen[5] = { uv.fs_readlink("soft"), uv.fs_lstat("soft").type, uv.fs_realpath("soft") == uv.cwd() .. "/sync" }
  seen[6] = { uv.fs_copyfile("sync", "copy"), uv.fs_access("copy", "R"), uv.fs_utime("copy", 5, 6), uv.fs_chmod("copy", 256) }
  uv.fs_mkdir("directory", 493)
  seen[7] = { uv.fs_rmdir("directory"), #uv.fs_mkdtemp("dir-XXXXXX"), select("#", uv.fs_mkstemp("file-XXXXXX")) }
  local from, to = uv.fs_open("sync", "r", 0), uv.fs_open("sent", "w", 420)
  seen[8] = uv.fs_sendfile(to, from, 0, 5)
  uv.fs_close(from) uv.fs_close(to)
  seen[9] = uv.fs_statfs(".").bsize > 0
  for _, name in ipairs({ "sync", "moved", "soft", "copy", "sent" }) do assert(uv.fs_unlink(name)) end
  local _, message, code = uv.fs_stat("sync")
  seen[10] = { message, code }
  return seen
end)

feature("files, asynchronous", function()
  local seen = {}
  uv.fs_open("async", "w+", 420, function(open_err, file)
    assert(not open_err, open_err)
    uv.fs_write(file, { "one ", "two" }, -1, function(_, written)
      seen[#seen + 1] = written
      uv.fs_read(file, 100, 0, function(_, data)
        seen[#seen + 1] = data
        uv.fs_close(file, function() uv.fs_unlink("async", function(err, ok) seen[#seen + 1] = ok or err end) end)
      end)
    end)
  end)
  uv.fs_stat("missing", function(err) seen.missing = err end)
  uv.fs_opendir(".", function(_, directory)
    uv.fs_readdir(directory, function(_, entries) seen.entries = #entries > 0 uv.fs_closedir(directory) end)
  end)
  uv.fs_scandir(".", function(err, scan) seen.scanned = not err and uv.fs_scandir_next(scan) ~= nil end)
  return function() return { seen, seen.missing, seen.entries, seen.scanned } end
end)

feature("watching files", function()
  local seen, event, poll = {}, uv.new_fs_event(), uv.new_fs_poll()
  uv.fs_mkdir("watched", 493)
  io.open("polled", "w"):close()
  event:start("watched", {}, function(_, name, events) seen.event = name .. (events.rename and " rename" or " change") event:close() end)
  local path = event:getpath()
  poll:start("polled", 20, function(err, old, new)
    seen.poll = err or (old.size .. " to " .. new.size)
    poll:close()
  end)
  local timer = uv.new_timer()
  timer:start(60, 0, function()
    io.open("watched/file", "w"):close()
    local file = io.open("polled-next", "w")
    file:write("longer")
    file:close()
    os.rename("polled-next", "polled")
    timer:close()
  end)
  return function() return { seen.event, path, seen.poll, poll:getpath() or "no path" } end
end)

feature("names and numbers", function()
  local seen = {}
  uv.getaddrinfo("localhost", "80", { family = "inet", socktype = "stream" }, function(err, list)
    seen[1] = err or (list[1].addr .. ":" .. list[1].port)
  end)
  uv.getnameinfo({ ip = "127.0.0.1", port = 80, family = "inet" }, function(err, host, service)
    seen[2] = err or (host .. " " .. service)
  end)
  return function() return { seen, uv.if_indextoname(1), uv.if_indextoiid(1) } end
end)

feature("the machine and the process", function()
  uv.os_setenv("RONDO_LUV", "set")
  local environment = uv.os_getenv("RONDO_LUV")
  uv.os_unsetenv("RONDO_LUV")
  local here = uv.cwd()
  uv.chdir("/")
  local there = uv.cwd()
  uv.chdir(here)
  uv.set_process_title("rondo-luv")
  local names = uv.os_uname()
  return {
    environment, uv.os_getenv("RONDO_LUV") or "unset", there, uv.get_process_title(), names.sysname, names.machine,
    #uv.cpu_info() == uv.available_parallelism() or #uv.cpu_info() > 0, uv.interface_addresses().lo ~= nil,
    uv.get_total_memory() > uv.get_free_memory(), uv.resident_set_memory() > 0, uv.get_constrained_memory() >= 0,
    uv.uptime() > 0, select("#", uv.loadavg()), uv.hrtime() > 0, uv.gettimeofday() > 0, uv.os_getppid() > 0,
    uv.os_gethostname(), uv.os_get_passwd().username, uv.os_tmpdir(), uv.os_getpriority(uv.os_getpid()),
    uv.getrusage().maxrss > 0, #uv.random(16), uv.guess_handle(0), uv.exepath():match("[^/]+$"),
    uv.translate_sys_error(2), uv.metrics_idle_time() >= 0,
  }
end)

feature("errors have names", function()
  local seen = {}
  -- ENOEXEC, EUNATCH and ENODATA got their names only after 1.44.
  local newer = { [8] = true, [49] = true, [61] = true }
  for number = 1, 133 do
    local text = uv.translate_sys_error(number)
    if not newer[number] and not text:find("Unknown", 1, true) then seen[#seen + 1] = text end
  end
  return seen
end)

print(count .. " features")
os.exit(failed and 1 or 0)
