-- What Neovim does with its event loop: jobs, timers, channels, terminals.
-- Each feature prints one line; nothing printed depends on time or on the
-- machine, so that runs on two libraries can be compared line by line.

local uv = vim.loop
local count, failed = 0, false

local function feature(name, run)
  count = count + 1
  local ok, result = xpcall(run, debug.traceback)
  if not ok then failed = true end
  io.stdout:write(name, ": ", ok and vim.inspect(result, { newline = " ", indent = "" }) or "FAILED " .. result, "\n")
end

local function wait(condition)
  assert(vim.wait(20000, condition, 5), "nothing came within 20 s")
end

feature("a job's output, input and exit", function()
  local out, err, code = {}, {}, nil
  local job = vim.fn.jobstart({ "sh", "-c", "read line; echo got $line; echo oops >&2; exit 3" }, {
    stdout_buffered = true, stderr_buffered = true,
    on_stdout = function(_, data) out = data end,
    on_stderr = function(_, data) err = data end,
    on_exit = function(_, status) code = status end,
  })
  vim.fn.chansend(job, "input\n")
  wait(function() return code ~= nil and #out > 0 and #err > 0 end)
  return { out, err, code }
end)

feature("many jobs at once, in any order", function()
  local codes = {}
  for i = 1, 20 do
    vim.fn.jobstart({ "sh", "-c", "exit " .. i }, { on_exit = function(_, status) codes[#codes + 1] = status end })
  end
  wait(function() return #codes == 20 end)
  table.sort(codes)
  return codes
end)

feature("a job's big output arrives whole", function()
  local size, done = 0, false
  vim.fn.jobstart({ "sh", "-c", "head -c 3000000 /dev/zero | tr '\\0' x" }, {
    on_stdout = function(_, data) for _, line in ipairs(data) do size = size + #line end end,
    on_exit = function() done = true end,
  })
  wait(function() return done and size >= 3000000 end)
  return size
end)

feature("jobs are waited for and stopped", function()
  local short = vim.fn.jobwait({ vim.fn.jobstart({ "sh", "-c", "exit 6" }) }, 10000)
  local stopped
  local long = vim.fn.jobstart({ "sleep", "100" }, { on_exit = function(_, status) stopped = status end })
  local early = vim.fn.jobwait({ long }, 20)
  vim.fn.jobstop(long)
  wait(function() return stopped ~= nil end)
  return { short, early, stopped }
end)

feature("system() with input and exit code", function()
  local back = vim.fn.system({ "sh", "-c", "cat; exit 5" }, "given")
  return { back, vim.v.shell_error, vim.fn.systemlist("printf 'a\\nb\\n'") }
end)

feature("timers: once, repeated, stopped", function()
  local seen = {}
  vim.fn.timer_start(10, function() seen[#seen + 1] = "once" end)
  vim.fn.timer_start(15, function() seen[#seen + 1] = "again" end, { ["repeat"] = 3 })
  local stopped = vim.fn.timer_start(5, function() seen[#seen + 1] = "never" end)
  vim.fn.timer_stop(stopped)
  vim.defer_fn(function() seen[#seen + 1] = "deferred" end, 100)
  wait(function() return #seen == 5 end)
  return seen
end)

feature("another Neovim over a channel", function()
  local channel = vim.fn.jobstart({ vim.v.progpath, "--embed", "--headless", "--clean" }, { rpc = true })
  local sum = vim.rpcrequest(channel, "nvim_eval", "40 + 2")
  vim.rpcrequest(channel, "nvim_buf_set_lines", 0, 0, -1, true, { "first", "second" })
  local lines = vim.rpcrequest(channel, "nvim_buf_get_lines", 0, 0, -1, true)
  local answers = {}
  for i = 1, 100 do answers[i] = vim.rpcrequest(channel, "nvim_eval", tostring(i)) end
  vim.rpcnotify(channel, "nvim_command", "qa!")
  return { sum, lines, #answers, vim.fn.jobwait({ channel }, 10000) }
end)

feature("a server on a socket, and over tcp", function()
  local path = vim.fn.getcwd() .. "/nvim.sock"
  local server = vim.fn.jobstart({ vim.v.progpath, "--headless", "--clean", "--listen", path })
  local pipe
  wait(function() -- for the socket, and then for the server to listen on it
    local ok, channel = pcall(vim.fn.sockconnect, "pipe", path, { rpc = true })
    pipe = ok and channel
    return ok
  end)
  local address = vim.rpcrequest(pipe, "nvim_call_function", "serverstart", { "127.0.0.1:0" })
  local tcp = vim.fn.sockconnect("tcp", address, { rpc = true })
  local seen = { vim.rpcrequest(pipe, "nvim_eval", "'over a pipe'"), vim.rpcrequest(tcp, "nvim_eval", "'over tcp'") }
  vim.fn.chanclose(tcp)
  vim.rpcnotify(pipe, "nvim_command", "qa!")
  seen[3] = vim.fn.jobwait({ server }, 10000)
  return seen
end)

feature("a terminal with a program in it", function()
  vim.cmd("enew")
  local code
  local job = vim.fn.termopen({ "sh", "-c", "stty size; read word; echo you said $word; exit 4" }, {
    on_exit = function(_, status) code = status end,
  })
  vim.fn.chansend(job, "hello\r")
  wait(function() return code ~= nil end)
  local said
  wait(function()
    for _, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
      if line:find("you said hello", 1, true) then said = line end
    end
    return said ~= nil
  end)
  return { said, code, vim.bo.buftype, vim.bo.channel == job }
end)

feature("the loop's own interface", function()
  local seen = {}
  local timer = uv.new_timer()
  timer:start(1, 0, function() seen.timer = true timer:close() end)
  uv.fs_stat(".", function(_, stat) seen.stat = stat.type end)
  uv.fs_open("file", "w", 420, function(_, file)
    uv.fs_write(file, "written", -1, function() uv.fs_close(file, function() seen.file = true end) end)
  end)
  local out = uv.new_pipe(false)
  local process
  process = uv.spawn("echo", { args = { "spawned" }, stdio = { nil, out, nil } }, function(code) seen.code = code process:close() end)
  out:read_start(function(_, data) if data then seen.out = data else out:close() end end)
  wait(function() return seen.timer and seen.stat and seen.file and seen.code and seen.out end)
  local work = uv.new_work(function(a, b) return a * b end, function(product) seen.product = product end)
  work:queue(6, 7)
  wait(function() return seen.product end)
  return { seen.timer, seen.stat, vim.fn.readfile("file"), seen.code, seen.out, seen.product }
end)

feature("writing and reading files", function()
  vim.fn.writefile(vim.fn.range(1, 5000), "numbers")
  vim.cmd("silent edit! numbers")
  vim.cmd("silent %s/$/!/")
  vim.cmd("silent write")
  vim.fn.mkdir("one/two/three", "p")
  local removed = vim.fn.delete("one", "rf")
  return { #vim.fn.readfile("numbers"), vim.fn.readfile("numbers")[5000], removed, vim.fn.glob("num*") }
end)

io.stdout:write(count, " features\n")
vim.cmd(failed and "cquit 1" or "qall!")
