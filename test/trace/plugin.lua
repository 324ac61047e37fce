-- A plugin that blocks Neovim in three ways: check_languages reads what `rondo trace --text` and
-- `rondo exec --stall` say about it.
local uv = vim.loop
local folder = os.getenv('RONDO_TEST_FOLDER')
local longer = tonumber(os.getenv('RONDO_TEST_LONGER') or 1)

local function burn(ms)
  local stop = os.clock() + ms * longer / 1000
  while os.clock() < stop do end
end

local function parse_report()
  burn(200)
end

local function starve_pool(done)
  local copied = 0
  for i = 1, 4 do
    uv.fs_copyfile(folder .. '/fifo', folder .. '/copy' .. i, function() copied = copied + 1 end)
  end
  uv.fs_access(folder, 'R', function() end)
  local opener = uv.new_timer()
  uv.update_time()
  opener:start(300, 20, function()
    if copied == 4 then
      opener:close()
      done()
      return
    end
    local fifo = uv.fs_open(folder .. '/fifo', 'r+', 0)
    uv.fs_close(fifo)
  end)
end

local function hog_schedule()
  burn(300)
  starve_pool(function()
    vim.schedule(function() vim.cmd('qa!') end)
  end)
end

local timer = uv.new_timer()
timer:start(10, 0, function()
  timer:close()
  parse_report()
  local soon = uv.new_timer()
  soon:start(1, 0, function()
    soon:close()
    vim.schedule(hog_schedule)
  end)
end)
