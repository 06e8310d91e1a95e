-- Plays the story inside Neovim: nvim --clean --headless -u story.lua FILE, with the plugin on the runtime path. Each outcome is a line of JSON on
-- standard output. vim.wait runs the event loop until a condition holds; the conditions change by what the server sends.
local story = vim.json.decode(os.getenv('ISADIFF_STORY'))
vim.opt.runtimepath:prepend(story.plugin)
vim.opt.swapfile = false
vim.g.isadiff = { cmd = story.isadiff, trusted = true }
local notified = {}
vim.notify = function(message)
  notified[#notified + 1] = message
end
vim.cmd('filetype plugin on')

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

local function turn(what)
  assert(vim.system({ 'sh', story.script, what, story.project, story.compiler or 'flydsl' }):wait().code == 0)
end

local function main()
  local buf = vim.api.nvim_get_current_buf()
  local isadiff = require('isadiff')

  local function lenses()
    local list = {}
    for _, lens in ipairs(vim.lsp.codelens.get(vim.lsp.codelens.enable and { bufnr = buf } or buf)) do
      list[#list + 1] = lens.lens or lens
    end
    return list
  end
  -- What is drawn, above its line.
  local function drawn()
    vim.cmd('redraw!')
    local text = {}
    for name, ns in pairs(vim.api.nvim_get_namespaces()) do
      if name:match('code_?lens') then
        for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buf, ns, 0, -1, { details = true })) do
          assert(mark[4].virt_lines_above, vim.inspect(mark))
          for _, line in ipairs(mark[4].virt_lines) do
            for _, chunk in ipairs(line) do
              text[#text + 1] = chunk[1]
            end
          end
        end
      end
    end
    return table.concat(text)
  end
  local function lens_like(pattern)
    return when('a lens like ' .. pattern, function()
      for _, lens in ipairs(lenses()) do
        if lens.command and lens.command.title:find(pattern) then
          return vim.trim(drawn()):find(pattern) and lens
        end
      end
    end)
  end
  local function diagnostic_like(pattern)
    return when('a diagnostic like ' .. pattern, function()
      local d = vim.diagnostic.get(buf)[1]
      return d and d.message:find(pattern) and d
    end)
  end
  local function clear()
    when('no diagnostic', function()
      return #vim.diagnostic.get(buf) == 0
    end)
  end
  local function state(wanted)
    return when('status ' .. wanted, function()
      local status = isadiff.status(buf)
      return status and status.state == wanted and status
    end)
  end

  local function hover()
    vim.api.nvim_win_set_cursor(0, { story.editedLine + 1, story.column + 2 })
    vim.lsp.buf.hover()
    local float = when('a float', function()
      for _, win in ipairs(vim.api.nvim_list_wins()) do
        if vim.api.nvim_win_get_config(win).relative ~= '' then
          return win
        end
      end
    end)
    local text = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(float), 0, -1, false), '\n')
    vim.api.nvim_win_close(float, true)
    return text
  end

  -- The author's edit, saved: until the compile lands the figures are older than the file.
  local function edit()
    vim.api.nvim_buf_set_lines(buf, 0, -1, false, vim.split((story.edited:gsub('\n$', '')), '\n'))
    vim.cmd('silent write')
    lens_like('edited since')
    assert(#vim.diagnostic.get(buf) == 0, vim.inspect(vim.diagnostic.get(buf)))
  end
  local function overloads_are_apart(lines)
    local at, titles = {}, {}
    for _, lens in ipairs(lenses()) do
      if vim.list_contains(lines, lens.range.start.line) then
        at[#at + 1] = lens.range.start.line
        titles[#titles + 1] = lens.command.title
        assert(vim.startswith(lens.command.title, story.overloads.quiet), lens.command.title)
      end
    end
    table.sort(at)
    assert(vim.deep_equal(at, lines), vim.inspect(at))
    return table.concat(titles, ' | ')
  end

  test('the server is started by a file that has kernels', function()
    when('attached', function()
      local client = vim.lsp.get_clients({ bufnr = buf, name = 'isadiff' })[1]
      return client and client.initialized
    end)
    return tostring(vim.version())
  end)
  if story.compiler then
    vim.api.nvim_win_set_cursor(0, { story.line + 1, 0 }) -- what is out of sight is not drawn
    test('unchanged kernels have quiet lenses and no diagnostic', function()
      state('ok')
      local lens = lens_like(story.quiet)
      assert(lens.range.start.line == story.line, vim.inspect(lens))
      assert(#vim.diagnostic.get(buf) == 0, vim.inspect(vim.diagnostic.get(buf)))
      if story.overloads then
        overloads_are_apart(story.overloads.lines)
      end
      return lens.command.title
    end)
    test('a worse dump is a diagnostic on the name of the kernel', function()
      edit()
      turn('worse')
      local from, to = unpack(story.diagnosed or { story.before, story.after })
      local d = diagnostic_like(('vgpr %d → %d'):format(from, to))
      assert(d.lnum == story.editedLine and d.col == story.column and d.end_col == story.column + #story.name, vim.inspect(d))
      assert(#vim.diagnostic.get(buf) == 1, vim.inspect(vim.diagnostic.get(buf)))
      return d.message
    end)
    test('its lens and hover tell the figures', function()
      state('regression')
      local lens = lens_like(('▲ .*vgpr %d→%d'):format(story.before, story.after))
      assert(lens.range.start.line == story.editedLine, vim.inspect(lens))
      local text = hover()
      assert(text:find(('vgpr +%d +%d +%%+%d'):format(story.before, story.after, story.after - story.before)), text)
      return lens.command.title
    end)
    test(':Isadiff why leads from a line of the sheet to the source', function()
      vim.api.nvim_win_set_cursor(0, { story.editedLine + 1, 0 })
      vim.ui.select = function(items, _, choose)
        choose(items[1], 1)
      end
      vim.cmd('Isadiff why')
      local row = when('a row of the source', function()
        if vim.api.nvim_buf_get_name(0) ~= 'isadiff://why' then
          return
        end
        for i, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
          if line:find('^' .. vim.pesc(vim.fs.basename(story.file)) .. ':%d+.*%->') then
            return i
          end
        end
      end)
      local text = vim.api.nvim_buf_get_lines(0, row - 1, row, false)[1]
      vim.api.nvim_win_set_cursor(0, { row, 0 })
      vim.api.nvim_feedkeys(vim.keycode('<cr>'), 'x', false)
      assert(vim.api.nvim_get_current_buf() == buf, vim.api.nvim_buf_get_name(0))
      assert(vim.api.nvim_win_get_cursor(0)[1] == tonumber(text:match(':(%d+)')), text)
      vim.cmd('only')
      return text
    end)
    if story.overloads then
      test('two kernels of one name keep their own lenses', function()
        return overloads_are_apart(story.overloads.editedLines)
      end)
    end
    out({ done = true })
    return vim.cmd('qall!')
  end
  test('an unchanged kernel has one quiet lens and nothing else', function()
    local status = state('ok')
    local lens = lens_like('^vgpr 88 .*no spill')
    assert(lens.range.start.line == story.editedLine)
    assert(#lenses() == 1 and #vim.diagnostic.get(buf) == 0 and #notified == 0)
    assert(isadiff.statusline() == status.text and isadiff.statusline({ quiet = true }) == '')
    return isadiff.statusline()
  end)
  test('a worse dump is a diagnostic on the name of the kernel', function()
    edit()
    turn('worse')
    local d = diagnostic_like('vgpr_spill 0 → 136.*vgpr 88 → 127')
    assert(d.lnum == story.editedLine and d.col == story.column and d.end_col == story.column + #'window_filter' and d.severity == vim.diagnostic.severity.WARN)
    return d.message
  end)
  test('its lens and status line follow', function()
    state('regression')
    lens_like('▲ spill 0→136')
    assert(isadiff.statusline({ quiet = true }):find('▲'))
    return drawn()
  end)
  test('its hover tells the figures', function()
    local text = hover()
    assert(text:find('vgpr_spill +0 +136 +%+136'), text)
    return text
  end)
  test(':Isadiff quickfix lists the regression at its line', function()
    vim.cmd('Isadiff quickfix')
    local items = vim.fn.getqflist()
    assert(#items == 1 and items[1].lnum == story.editedLine + 1 and items[1].bufnr == buf, vim.inspect(items))
    vim.cmd('cclose')
    return items[1].text
  end)
  test('<Plug>(isadiff-next) goes to the regression, and the report opens without HTML', function()
    vim.cmd.enew()
    assert(vim.fn.maparg(']k', 'n') == '')
    vim.api.nvim_feedkeys(vim.keycode('<Plug>(isadiff-next)'), 'x', false)
    assert(vim.api.nvim_get_current_buf() == buf)
    assert(vim.deep_equal(vim.api.nvim_win_get_cursor(0), { story.editedLine + 1, story.column }))
    vim.cmd('Isadiff report')
    when('the report', function()
      return vim.api.nvim_buf_get_name(0):find('report%.md$')
    end)
    local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
    assert(text:find('0 → 136', 1, true) and not text:find('<', 1, true), text)
    assert(vim.wo.conceallevel == 2)
    vim.cmd.buffer(buf)
  end)
  test(':Isadiff completes', function()
    local names = vim.fn.getcompletion('Isadiff ', 'cmdline')
    for _, name in ipairs({ 'accept', 'baseline', 'explain', 'isa', 'quickfix', 'report', 'rescan', 'undo', 'update' }) do
      assert(vim.list_contains(names, name), vim.inspect(names))
    end
    local kernels = vim.fn.getcompletion('Isadiff accept ', 'cmdline')
    assert(#kernels == 1 and kernels[1]:find('window_filter_0'), vim.inspect(kernels))
    local words = vim.fn.getcompletion('Isadiff explain vgpr', 'cmdline')
    assert(vim.list_contains(words, 'vgpr_spill'), vim.inspect(words))
    return table.concat(names, ' ')
  end)
  test(':Isadiff isa opens the assembly at the first spill', function()
    vim.cmd('Isadiff isa')
    when('the assembly', function()
      return vim.api.nvim_buf_get_name(0):find('22_final_isa%.s$')
    end)
    local line = vim.api.nvim_get_current_line()
    assert(line:find('scratch_store') or line:find('^window_filter_0:'), line)
    vim.cmd.buffer(buf)
    return line
  end)
  local function sheet()
    return when('the sheet', function()
      local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
      return vim.api.nvim_buf_get_name(0) == 'isadiff://why' and #text > 0 and text
    end)
  end
  test(':Isadiff why shows the sheet beside the source', function()
    vim.api.nvim_win_set_cursor(0, { story.editedLine + 1, 0 })
    vim.cmd('Isadiff why')
    local text = sheet()
    assert(text:find('vgpr_spill 0 %-> 136') and text:find('instructions: '), text)
    assert(not vim.bo.modifiable and #vim.api.nvim_tabpage_list_wins(0) == 2)
    vim.cmd.wincmd('p')
    vim.cmd('Isadiff why') -- once more, in the same window
    when('the sheet', function()
      return vim.api.nvim_buf_get_name(0) == 'isadiff://why'
    end)
    assert(#vim.api.nvim_tabpage_list_wins(0) == 2)
    vim.api.nvim_feedkeys('q', 'x', false)
    assert(#vim.api.nvim_tabpage_list_wins(0) == 1)
    return vim.split(text, '\n')[3]
  end)
  test(':Isadiff baseline clears all', function()
    vim.cmd('Isadiff baseline')
    clear()
    state('ok')
    lens_like('^vgpr 127')
    when('its answer', function()
      return #notified > 0
    end)
    return notified[#notified]
  end)
  test(':Isadiff undo brings the regression back, :Isadiff accept accepts it with a reason, :Isadiff update takes it', function()
    vim.cmd('Isadiff undo')
    diagnostic_like('vgpr_spill 0 → 136')
    vim.api.nvim_win_set_cursor(0, { story.editedLine + 1, 0 })
    vim.ui.input = function(_, answer)
      answer('twice the outputs')
    end
    vim.cmd('Isadiff accept')
    clear()
    state('ok')
    local file = story.project .. '/.isadiff/accepted.toml'
    assert(table.concat(vim.fn.readfile(file), '\n'):find('reason = "twice the outputs"'))
    assert(vim.fn.delete(file) == 0)
    diagnostic_like('vgpr_spill 0 → 136')
    vim.cmd('Isadiff update')
    clear()
    state('ok')
  end)
  -- Runs the lens of the current line that has the title.
  local function run_lens(title)
    vim.api.nvim_win_set_cursor(0, { story.editedLine + 1, 0 })
    vim.ui.select = function(items, _, choose) -- several lenses stand on the line
      for i, item in ipairs(items) do
        local command = (item.lens or item).command or (item[2] and (item[2].lens or item[2]).command)
        if command and command.title == title then
          return choose(item, i)
        end
      end
    end
    vim.lsp.codelens.run()
  end
  test('a leftover that hides a newer stage is named, and removed by the command of its lens', function()
    turn('leftover')
    local d = diagnostic_like('cannot be judged')
    assert(d.code == 'stage-stale' and d.lnum == story.editedLine, vim.inspect(d))
    run_lens(lens_like('remove 23_final_isa%.s').command.title)
    clear()
    state('ok')
    return d.message
  end)
  test('a damaged dump is named with its cause', function()
    turn('damage')
    local d = diagnostic_like('cannot be judged')
    assert(d.code == 'metadata-cut' and d.lnum == story.editedLine, vim.inspect(d))
    return d.message
  end)
  test(':Isadiff explain shows what it means', function()
    state('untrustworthy')
    vim.cmd('Isadiff explain')
    when('the explanation', function()
      return vim.bo.filetype == 'markdown' and table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n'):find('metadata%-cut')
    end)
    vim.cmd('close')
  end)
  test('the command of its lens mends it', function()
    local title = lens_like('compile again').command.title
    run_lens(title)
    clear()
    state('ok')
    return title
  end)
  test(':checkhealth isadiff finds nothing wrong', function()
    vim.cmd('checkhealth isadiff')
    local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
    assert(text:find('OK') and not text:find('ERROR') and not text:find('WARNING'), text)
    vim.cmd('close')
    return text
  end)
  test(':help isadiff works as installed, with the tags of its text', function()
    vim.cmd('help isadiff-keys')
    assert(vim.bo.buftype == 'help')
    vim.cmd('close')
    local function tags()
      return table.concat(vim.fn.readfile(story.plugin .. '/doc/tags'), '\n')
    end
    local shipped = tags()
    vim.cmd('helptags ' .. story.plugin .. '/doc')
    assert(shipped == tags(), 'doc/tags is not what :helptags writes:\n' .. tags())
  end)
  local function servers()
    return vim.tbl_filter(function(pid)
      local file = io.open(('/proc/%d/cmdline'):format(pid))
      local line = file and file:read('*a') or ''
      if file then
        file:close()
      end
      return line:find('%zlsp%f[%z]') ~= nil
    end, vim.api.nvim_get_proc_children(vim.fn.getpid()))
  end
  local function client()
    return vim.lsp.get_clients({ bufnr = buf, name = 'isadiff' })[1]
  end
  local function said_once(text)
    return #vim.tbl_filter(function(message)
      return message:find(text, 1, true) ~= nil
    end, notified) == 1
  end
  local function is_down()
    return said_once('is not started again') and #servers() == 0
  end
  local function save() -- starts the server for a file that has come to use kernels
    vim.api.nvim_exec_autocmds('BufWritePost', { buffer = buf })
  end
  test('a crashed server is started again, and not for ever', function()
    vim.cmd.buffer(buf)
    notified = {}
    local crashes, last = 0, nil
    while not said_once('is not started again') do
      when('another server', function()
        return client() and client().id ~= last and isadiff.status(buf)
      end)
      last = client().id
      local pids = servers()
      assert(#pids == 1, vim.inspect(pids))
      vim.uv.kill(pids[1], 'sigkill')
      crashes = crashes + 1
      when('its end', function()
        return not vim.lsp.get_client_by_id(last) and (client() or said_once('is not started again'))
      end)
    end
    assert(crashes == 5 and is_down() and isadiff.statusline() == '', crashes)
    save()
    vim.api.nvim_exec_autocmds('FileType', { buffer = buf })
    assert(#servers() == 0)
    return notified[#notified]
  end)
  local function starts()
    local file = io.open(story.environment.DYING .. '/starts')
    local pids = file and vim.split(vim.trim(file:read('*a')), '\n') or {}
    if file then
      file:close()
    end
    return pids
  end
  test('nor is one that dies within its handshake, and never do two run', function()
    notified = {}
    isadiff.setup({ cmd = story.dying })
    vim.cmd('Isadiff restart')
    when('the fifth start', function()
      save() -- as a person may at any moment
      return #starts() == 5 and isadiff.status(buf)
    end)
    assert(vim.deep_equal(servers(), { tonumber(starts()[5]) }), vim.inspect(starts()))
    vim.uv.kill(servers()[1], 'sigkill') -- the fifth time that it ends
    when('it stays down', is_down)
    assert(#starts() == 5, vim.inspect(starts()))
    notified = {}
    io.open(story.environment.DYING .. '/always', 'w'):close()
    os.remove(story.environment.DYING .. '/starts')
    vim.cmd('Isadiff restart')
    when('it stays down', is_down)
    assert(#starts() == 5, vim.inspect(starts()))
    assert(not vim.uv.fs_stat(story.environment.DYING .. '/together'))
    isadiff.setup({ cmd = story.isadiff })
    vim.cmd('Isadiff restart')
    state('ok')
    local old = client().id
    vim.cmd('Isadiff restart')
    when('another server', function()
      return client() and client().id ~= old and isadiff.status(buf)
    end)
    assert(#servers() == 1)
  end)
  out({ done = true })
  vim.cmd('qall!')
end

vim.api.nvim_create_autocmd('VimEnter', {
  callback = function()
    vim.schedule(function()
      local ok, err = xpcall(main, debug.traceback)
      if not ok then
        out({ name = 'the story', error = err })
        vim.cmd('cquit 1')
      end
    end)
  end,
})
