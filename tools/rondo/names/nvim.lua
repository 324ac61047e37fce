-- Run by Neovim before its own settings when `rondo trace` starts it: gives the spans of a
-- recording the names of Lua functions, with file and line, and the recording Lua's stacks.
--
-- Functions that are handed to vim.loop or vim.schedule are called by way of one that begins
-- and ends a span; nothing else is changed. LuaJIT's own profiler samples every 10 ms of
-- processor time. Where anything is missing (another Lua, another libuv) nothing is done.
local has_ffi, ffi = pcall(require, 'ffi')
local uv = vim and vim.loop
if not has_ffi or not uv then return end
-- A ring that is left on has names only if they were asked for.
if not os.getenv('RONDO_TRACE') and os.getenv('RONDO_RECORD_NAMES') ~= '1' then return end
ffi.cdef [[
  void* uv_handle_get_loop(const void* handle);
  uint64_t uv_hrtime(void);
  int rondo_trace_active(const void* loop);
  int rondo_trace_begin(void* loop, const char* name);
  void rondo_trace_end(void* loop, int span);
  void rondo_trace_stack(void* loop, uint64_t when_ns, const char* const* frames, size_t count);
]]
local C = ffi.C

-- A handle of luv's is a pointer to one of libuv's, which knows its loop.
local function own_loop()
  local timer = uv.new_timer()
  local loop = C.uv_handle_get_loop(ffi.cast('void**', timer)[0])
  timer:close()
  return C.rondo_trace_active(loop) ~= 0 and loop or nil
end
local is_ours, loop = pcall(own_loop)
if not is_ours or not loop then return end

-- --- names ---------------------------------------------------------------------------------

-- Functions have no names in Lua: the line that defines one says what it is called.
local function name_in(path, line)
  local file = io.open(path)
  local text
  for _ = 1, file and line or 0 do text = file:read('*l') end
  if file then file:close() end
  return text and (text:match('function%s+([%w_.:]+)%s*%(') or text:match('([%w_.]+)%s*=%s*function')) or '(anonymous)'
end

local names = setmetatable({}, { __mode = 'k' })

local function name_of(fn)
  local name = names[fn]
  if not name then
    local info = debug.getinfo(fn, 'S')
    local path = info.source:match('^@(.*)')
    name = path and ('%s %s:%d'):format(name_in(path, info.linedefined), path, info.linedefined) or '(a function of C)'
    names[fn] = name
  end
  return name
end

local function finish(span, ...)
  C.rondo_trace_end(loop, span)
  return ...
end

local wrappers = setmetatable({}, { __mode = 'kv' })

local function named(fn)
  if type(fn) ~= 'function' then return fn end
  local wrapper = wrappers[fn]
  if not wrapper then
    wrapper = function(...) return finish(C.rondo_trace_begin(loop, name_of(fn)), fn(...)) end
    wrappers[fn], wrappers[wrapper] = wrapper, wrapper
  end
  return wrapper
end

-- --- where functions are handed over -----------------------------------------------------

local function wrap(owner, key)
  local original = owner[key]
  owner[key] = function(...)
    local arguments, count = { ... }, select('#', ...)
    for i = 1, count do arguments[i] = named(arguments[i]) end
    return original(unpack(arguments, 1, count))
  end
end

local function takes_callbacks(key)
  return key:match('^fs_') or key:match('start$') or key:match('start_oneshot$') or key:match('connect$') or
    key:match('listen$') or key:match('write2?$') or key:match('shutdown$') or key:match('send$') or
    key:match('^get%a+info$') or key == 'close' or key == 'spawn' or key == 'new_async' or key == 'random'
end

local function wrap_all(owner)
  for key, value in pairs(owner) do
    if type(key) == 'string' and type(value) == 'function' and takes_callbacks(key) then wrap(owner, key) end
  end
end

wrap_all(uv)
for key, class in pairs(debug.getregistry()) do
  if type(key) == 'string' and key:match('^uv_') and type(class) == 'table' and type(class.__index) == 'table' then
    wrap_all(class.__index)
  end
end

-- What is scheduled runs outside of uv_run, where nobody ends the span of one that failed.
local schedule, schedule_wrap, failed = vim.schedule, vim.schedule_wrap, 0
vim.schedule = function(fn)
  return schedule(type(fn) ~= 'function' and fn or function()
    C.rondo_trace_end(loop, failed)
    failed = C.rondo_trace_begin(loop, name_of(fn))
    local span = failed
    fn()
    failed = 0
    C.rondo_trace_end(loop, span)
  end)
end
vim.schedule_wrap = function(fn) return schedule_wrap(named(fn)) end

-- --- stacks --------------------------------------------------------------------------------

local has_profile, profile = pcall(require, 'jit.profile')
if not has_profile or not os.getenv('RONDO_TRACE') then return end
local FRAMES = 60
local frames = ffi.new('const char*[?]', FRAMES)

profile.start('li10', function(thread)
  local kept, count = {}, 0
  for frame in profile.dumpstack(thread, 'f@pl\n', FRAMES):gmatch('[^\n]+') do
    local name, place = frame:match('^(.-)@(.*)$')
    if name and count < FRAMES then
      kept[count] = (name:find(':') and '(anonymous)' or name) .. ' ' .. place
      frames[count] = kept[count]
      count = count + 1
    end
  end
  C.rondo_trace_stack(loop, C.uv_hrtime(), frames, count)
end)
