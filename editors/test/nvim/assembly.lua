-- Assembly beside its source, inside Neovim: nvim --clean --headless -u assembly.lua FILE. Each outcome is a line of JSON on standard output.
local story = vim.json.decode(os.getenv('ISADIFF_STORY'))
vim.opt.runtimepath:prepend(story.plugin)
vim.opt.swapfile = false
vim.opt.lines, vim.opt.columns = 50, 200
vim.g.isadiff = { cmd = story.isadiff }
local notified = {}
vim.notify = function(message)
  notified[#notified + 1] = message
end
vim.cmd('filetype plugin on | syntax on')

local function out(outcome)
  io.stdout:write(vim.json.encode(outcome) .. '\n')
end

local failed = false
local function test(name, body)
  if failed then
    return
  end
  local ok, said = xpcall(body, debug.traceback)
  failed = not ok
  out({ name = name, said = ok and said and tostring(said) or nil, error = not ok and (tostring(said) .. '\nnotified: ' .. table.concat(notified, '; ')) or nil })
end

local function when(what, condition)
  local value
  if not vim.wait(story.patience, function()
    value = condition()
    return value and true or false
  end, 5) then
    error('never: ' .. what, 2)
  end
  return value
end

local function main()
  local source = vim.api.nvim_get_current_buf()
  local source_win = vim.api.nvim_get_current_win()
  local key = 'kernels/gfx942::smooth'
  local spaces = vim.api.nvim_get_namespaces

  local function named(name)
    for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
      if vim.api.nvim_buf_get_name(bufnr) == name then
        return bufnr
      end
    end
  end
  local function lines(bufnr)
    return vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
  end
  local function line_like(bufnr, text)
    for n, line in ipairs(lines(bufnr)) do
      if line:find(text, 1, true) then
        return n - 1
      end
    end
    error('no line ' .. text)
  end
  local function marked(bufnr)
    return vim.tbl_map(function(mark)
      return mark[2]
    end, vim.api.nvim_buf_get_extmarks(bufnr, spaces()['isadiff.assembly.links'], 0, -1, {}))
  end
  local function move(win, line)
    vim.api.nvim_set_current_win(win)
    vim.api.nvim_win_set_cursor(win, { line + 1, 0 })
    vim.api.nvim_exec_autocmds('CursorMoved', { buffer = vim.api.nvim_win_get_buf(win) })
  end
  local function beside()
    return named('isadiff://assembly/' .. key)
  end
  -- The source line, 1-based, that a line of the assembly stands under.
  local function loc_of(bufnr, line)
    local all = lines(bufnr)
    for n = line + 1, 1, -1 do
      local at = all[n]:match('^%s*%.loc%s+%d+%s+(%d+)')
      if at and at ~= '0' then
        return tonumber(at)
      end
    end
  end
  local function details(bufnr)
    return vim.api.nvim_buf_get_extmarks(bufnr, spaces()['isadiff.assembly'], 0, -1, { details = true })
  end
  local function margins(bufnr)
    local live, remarks, changed = 0, 0, 0
    for _, mark in ipairs(details(bufnr)) do
      local text = mark[4].virt_text and mark[4].virt_text[1][1] or ''
      live = live + (mark[4].virt_text_pos == 'inline' and text:match('^ *%d+ ') and 1 or 0)
      remarks = remarks + (text:find('◂') and 1 or 0)
      changed = changed + (mark[4].line_hl_group == 'IsadiffChanged' and 1 or 0)
    end
    return { live = live, remarks = remarks, changed = changed }
  end
  local summing = 'sum += in[i] * w.taps[i]'
  local edited_summing = 'sum += held[95 - i] * w.taps[i]'

  test('the assembly opens beside the source, which keeps the cursor', function()
    when('the server', function()
      local status = require('isadiff').status(source)
      return status and status.state == 'ok'
    end)
    vim.cmd('Isadiff assembly ' .. key)
    local buf = when('the assembly', beside)
    when('its text', function()
      return lines(buf)[1]:find('^smooth:')
    end)
    assert(vim.api.nvim_get_current_win() == source_win and #vim.api.nvim_tabpage_list_wins(0) == 2)
    assert(not vim.bo[buf].modifiable and vim.bo[buf].filetype == 'amdgpu')
    local m = margins(buf)
    assert(m.live > 50 and m.changed == 0, vim.inspect(m))
    return vim.inspect(m)
  end)
  test('it is highlighted', function()
    local buf = beside()
    local group = function(text, word)
      local line = line_like(buf, text)
      local column = lines(buf)[line + 1]:find(word, 1, true)
      return vim.api.nvim_buf_call(buf, function()
        return vim.fn.synIDattr(vim.fn.synID(line + 1, column, 1), 'name')
      end)
    end
    for _, want in ipairs({
      { 'smooth:', 'smooth', 'amdgpuFunction' }, { 'global_load_dwordx4', 'global_load_dwordx4', 'amdgpuMemory' }, { 's_load_dword', 's_load_dword', 'amdgpuMemory' },
      { 's_endpgm', 's_endpgm', 'amdgpuBranch' }, { '.loc', '.loc', 'amdgpuDirective' }, { 's_waitcnt', 's_waitcnt', 'amdgpuWait' }, { 's_waitcnt', 'cnt(', 'amdgpuModifier' },
      { 'v_mov_b32', 'v_mov_b32', 'amdgpuVector' }, { 'v_mov_b32', 'v1', 'amdgpuRegister' },
    }) do
      local got = group(want[1], want[2])
      assert(got == want[3], ('%s: %s, want %s'):format(want[2], got, want[3]))
    end
  end)
  local first
  test('the cursor of the source marks its instructions', function()
    local buf, line = beside(), line_like(source, summing)
    move(source_win, line)
    local rows = marked(buf)
    assert(#rows > 10, vim.inspect(rows))
    for _, row in ipairs(rows) do
      assert(loc_of(buf, row) == line + 1, ('%d: %s'):format(row, lines(buf)[row + 1]))
    end
    first = rows[1]
    assert(vim.deep_equal(marked(source), { line }))
    local win = vim.fn.win_findbuf(buf)[1]
    local top, bottom = vim.fn.line('w0', win), vim.fn.line('w$', win)
    assert(vim.iter(rows):any(function(row)
      return top <= row + 1 and row + 1 <= bottom
    end), 'none in sight')
    return #rows .. ' instructions'
  end)
  test('the cursor of the assembly marks its line', function()
    local buf = beside()
    move(source_win, 0)
    assert(#marked(buf) == 0 and #marked(source) == 0)
    move(vim.fn.win_findbuf(buf)[1], first)
    assert(vim.deep_equal(marked(source), { line_like(source, summing) }), vim.inspect(marked(source)))
    move(vim.fn.win_findbuf(buf)[1], 0) -- a label
    assert(#marked(source) == 0)
  end)
  test('lines that were typed above are followed, and an edited line has no mark', function()
    local buf = beside()
    vim.api.nvim_set_current_win(source_win)
    vim.api.nvim_buf_set_lines(source, 0, 0, false, { '//', '//' })
    vim.api.nvim_exec_autocmds('TextChanged', { buffer = source })
    local line = line_like(source, summing)
    when('its instructions', function()
      move(source_win, line)
      return #marked(buf) > 10
    end)
    assert(vim.deep_equal(marked(source), { line }) and loc_of(buf, marked(buf)[1]) == line - 1)
    local text = lines(source)[line + 1]
    vim.api.nvim_buf_set_lines(source, line, line + 1, false, { text .. ' // other' })
    vim.api.nvim_exec_autocmds('TextChanged', { buffer = source })
    move(source_win, line)
    assert(#marked(buf) == 0 and #marked(source) == 0)
    when('the links of the other lines', function()
      move(source_win, line_like(source, 'smooth('))
      return #marked(buf) > 0
    end)
    move(source_win, line)
    assert(#marked(buf) == 0)
    local said = {}
    for _, mark in ipairs(details(buf)) do
      for _, chunks in ipairs(mark[4].virt_lines or {}) do
        said[#said + 1] = chunks[1][1]
      end
    end
    assert(#said == 1 and said[1]:find('instructions of lines of kernels.hip that were edited since the compile have no link'), vim.inspect(said))
    return said[1]
  end)
  test('after the next compile it follows in place, and marks what changed', function()
    local buf, before = beside(), #lines(beside())
    vim.api.nvim_buf_set_lines(source, 0, -1, false, vim.split((story.edited:gsub('\n$', '')), '\n'))
    vim.cmd('silent write')
    assert(vim.system({ 'sh', story.script, 'worse', story.project, 'hip' }):wait().code == 0)
    local m = when('the new text', function()
      local m = #lines(buf) > before and margins(buf)
      return m and m.changed > 0 and m
    end)
    assert(m.changed > 50, vim.inspect(m))
    local line = line_like(source, edited_summing)
    when('its instructions', function()
      move(source_win, line)
      return #marked(buf) > 10
    end)
    assert(loc_of(buf, marked(buf)[1]) == line + 1)
    return vim.inspect(m)
  end)
  test(':Isadiff diff shows both sides with the same names, :Isadiff! diff as they stand', function()
    vim.cmd('Isadiff diff ' .. key)
    local now = when('the comparison', function()
      local now = named('isadiff://now/' .. key)
      return now and #lines(now) > 10 and now
    end)
    local before = named('isadiff://baseline/' .. key)
    local function differing()
      local indices = vim.diff(table.concat(lines(before), '\n'), table.concat(lines(now), '\n'), { result_type = 'indices' })
      local n = 0
      for _, hunk in ipairs(indices) do
        n = n + hunk[2]
      end
      return n
    end
    for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
      assert(vim.wo[win].diff)
    end
    assert(#vim.api.nvim_tabpage_list_wins(0) == 2 and #lines(before) > 60 and #lines(now) > 150)
    local renamed = differing()
    vim.cmd('Isadiff! diff') -- of the kernel that is shown
    when('the texts as they stand', function()
      return line_like and table.concat(lines(now), '\n'):find('%.loc')
    end)
    assert(differing() > renamed and renamed < #lines(before) / 2 + 20, ('%d, %d as they stand'):format(renamed, differing()))
    return ('%d lines of the baseline differ, %d as they stand; %s'):format(renamed, differing(), notified[#notified])
  end)
  test('closed, it leaves no mark', function()
    vim.cmd('tabclose')
    local buf = beside()
    vim.api.nvim_set_current_win(source_win)
    move(source_win, line_like(source, edited_summing))
    vim.cmd('bwipeout ' .. buf)
    assert(#marked(source) == 0)
  end)
  out({ done = true })
  vim.cmd('qall!')
end

vim.api.nvim_create_autocmd('VimEnter', {
  callback = function()
    vim.schedule(function()
      local ok, err = xpcall(main, debug.traceback)
      if not ok then
        out({ name = 'assembly', error = err })
        vim.cmd('cquit 1')
      end
    end)
  end,
})
