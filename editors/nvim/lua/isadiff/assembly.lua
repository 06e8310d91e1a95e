--- The assembly of kernels beside their sources, linked with them both ways, and both sides of a kernel in windows of differences.
local M = {}

local links = vim.api.nvim_create_namespace('isadiff.assembly.links')
local margins = vim.api.nvim_create_namespace('isadiff.assembly')
local pause = 300 -- milliseconds after a change of a source, or of what was compiled, until the server is asked again

---@class isadiff.View
---@field client integer the id of the client that tells
---@field argument table what it is asked
---@field answer? table the last answer of isadiff.assembly, as docs/reference/protocol.md describes it
---@field rows? table<integer, table> the rows of the answer by their line
---@field seq? integer the sequence number of the state that is shown
---@field other? integer of a comparison, the buffer of the other side
---@field source? integer the buffer whose text was edited last: the server is to have it when it is asked
---@field request? integer the id of what is asked just now
---@field timer? uv.uv_timer_t

---@type table<integer, isadiff.View> by buffer
local views = {}

local function say(message, level)
  vim.notify('isadiff: ' .. message, level or vim.log.levels.INFO)
end

--- The path of a URI as names of buffers are compared.
local function path_of(uri)
  return vim.fs.normalize(vim.uri_to_fname(uri))
end

--- The loaded buffer of a name.
---@return integer?
local function named(name)
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) and vim.api.nvim_buf_get_name(bufnr) == name then
      return bufnr
    end
  end
end

--- The loaded buffer of a file.
---@return integer?
local function buffer_of(uri)
  return named(vim.uri_to_fname(uri))
end

--- The version of a buffer that the server has; nil if it has none.
local function version_of(bufnr)
  if not bufnr or #vim.lsp.get_clients({ bufnr = bufnr, name = 'isadiff' }) == 0 then
    return nil
  end
  return vim.lsp.util.buf_versions[bufnr]
end

--- The source of a view that a buffer holds: its index, if the links are of the text that it has now.
local function source_in(view, bufnr)
  local path = vim.fs.normalize(vim.api.nvim_buf_get_name(bufnr))
  for index, source in ipairs(view.answer and view.answer.sources or {}) do
    if path ~= '' and path_of(source.uri) == path then
      return index - 1, source.version ~= vim.NIL and source.version == version_of(bufnr)
    end
  end
end

--- A buffer of a name for text that nobody edits.
local function scratch(name, filetype)
  local bufnr = named(name)
  if not bufnr then
    bufnr = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(bufnr, name)
    vim.bo[bufnr].bufhidden, vim.bo[bufnr].swapfile = 'wipe', false
    vim.bo[bufnr].filetype = filetype
    vim.bo[bufnr].modifiable = false
  end
  return bufnr
end

--- Puts a text into a buffer, if it has another one; windows stay where they are.
local function put(bufnr, text)
  local lines = vim.split((text:gsub('\n$', '')), '\n')
  if vim.deep_equal(lines, vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)) then
    return
  end
  local seen = {}
  for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
    seen[win] = vim.api.nvim_win_call(win, vim.fn.winsaveview)
  end
  vim.bo[bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].modifiable = false
  for win, view in pairs(seen) do
    vim.api.nvim_win_call(win, function()
      vim.fn.winrestview(view)
    end)
  end
end

local function windows_of(bufnr)
  return vim.tbl_filter(function(win)
    return vim.api.nvim_win_get_tabpage(win) == vim.api.nvim_get_current_tabpage()
  end, vim.fn.win_findbuf(bufnr))
end

local function in_sight(win, line)
  return vim.api.nvim_win_call(win, function()
    return vim.fn.line('w0') <= line + 1 and line + 1 <= vim.fn.line('w$')
  end)
end

--- Scrolls the windows of a buffer to a line, unless one of the lines is in sight.
local function reveal(bufnr, lines)
  for _, win in ipairs(windows_of(bufnr)) do
    local seen = false
    for _, line in ipairs(lines) do
      seen = seen or in_sight(win, line)
    end
    if not seen and lines[1] then
      vim.api.nvim_win_set_cursor(win, { lines[1] + 1, 0 })
      vim.api.nvim_win_call(win, function()
        vim.cmd('normal! zz')
      end)
    end
  end
end

local function mark(bufnr, lines)
  vim.api.nvim_buf_clear_namespace(bufnr, links, 0, -1)
  local count = vim.api.nvim_buf_line_count(bufnr)
  for _, line in ipairs(lines) do
    if line < count then
      vim.api.nvim_buf_set_extmark(bufnr, links, line, 0, { line_hl_group = 'IsadiffLinked' })
    end
  end
end

local function clear_links(bufnr)
  mark(bufnr, {})
  for _, source in ipairs(views[bufnr].answer and views[bufnr].answer.sources or {}) do
    local of = buffer_of(source.uri)
    if of then
      mark(of, {})
    end
  end
end

--- Follows the cursor, from the source to the assembly or the other way round.
local function moved(bufnr)
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  local own = views[bufnr]
  if own and own.answer then
    clear_links(bufnr)
    local row = own.rows[line]
    local source = row and row.source and own.answer.sources[row.source + 1]
    local of = source and buffer_of(source.uri)
    if of and row.at and source.version == version_of(of) then
      mark(bufnr, { line })
      mark(of, { row.at })
      reveal(of, { row.at })
    end
    return
  end
  for beside, view in pairs(views) do
    local index, current = source_in(view, bufnr)
    if index then
      local lines = {}
      for _, row in ipairs(current and view.answer.rows or {}) do
        if row.source == index and row.at == line then
          lines[#lines + 1] = row.line
        end
      end
      mark(beside, lines)
      mark(bufnr, #lines > 0 and { line } or {})
      reveal(beside, lines)
    end
  end
end

--- The live VGPRs and the loops of an instruction, as wide for every line.
local function margin(row, depth)
  local loops = math.min(row and row.loop or 0, depth)
  return ('%4s %s%s '):format(row and row.live or '', ('│'):rep(loops), (' '):rep(depth - loops))
end

local function remark(row)
  local said = {}
  if row.spill then
    said[#said + 1] = row.spill == 'store' and 'spill' or 'reload'
  end
  if row.gone then
    said[#said + 1] = row.gone .. ' gone before'
  end
  return #said > 0 and '◂ ' .. table.concat(said, ', ') or nil
end

--- Draws what stands beside the text.
local function draw(bufnr)
  local view = views[bufnr]
  vim.api.nvim_buf_clear_namespace(bufnr, margins, 0, -1)
  view.rows = {}
  local depth = 0
  for _, row in ipairs(view.answer.rows) do
    view.rows[row.line] = row
    depth = math.max(depth, row.loop or 0)
  end
  depth = math.min(depth, 4)
  vim.api.nvim_buf_set_extmark(bufnr, margins, 0, 0, {
    virt_lines = vim.tbl_map(function(note)
      return { { '◂ ' .. note, 'WarningMsg' } }
    end, view.answer.notes),
  })
  for line = 0, vim.api.nvim_buf_line_count(bufnr) - 1 do
    local row = view.rows[line]
    vim.api.nvim_buf_set_extmark(bufnr, margins, line, 0, {
      virt_text = { { margin(row, depth), 'LineNr' } },
      virt_text_pos = 'inline',
      line_hl_group = row and row.change and 'IsadiffChanged' or nil,
    })
    local said = row and remark(row)
    if said then
      vim.api.nvim_buf_set_extmark(bufnr, margins, line, 0, { virt_text = { { said, 'WarningMsg' } } })
    end
  end
end

--- Takes an answer of the server into a view's buffers.
local function take(bufnr, answer)
  local view = views[bufnr]
  view.seq = answer.seq
  if view.other then
    if vim.api.nvim_buf_is_loaded(view.other) then
      put(view.other, answer.before)
    end
    put(bufnr, answer.after)
    vim.cmd('diffupdate')
    return
  end
  view.answer = answer
  put(bufnr, answer.text)
  draw(bufnr)
  moved(vim.api.nvim_get_current_buf())
end

local function cancel(view)
  local client = vim.lsp.get_client_by_id(view.client)
  if client and view.request then
    if vim.fn.has('nvim-0.11') == 1 then
      client:cancel_request(view.request)
    else
      client.cancel_request(view.request)
    end
  end
  view.request = nil
end

--- Asks for what a command of the server tells, of the texts as the editor has them now.
---@param view isadiff.View
local function ask(view, command, done)
  cancel(view)
  local link = require('isadiff.client')
  local client = vim.lsp.get_client_by_id(view.client) or link.any()
  if not client then
    return done({ message = 'the server does not run' })
  end
  view.client = client.id
  local id
  local _, request = link.request(client, 'workspace/executeCommand', link.call(command, view.argument), function(err, answer)
    if view.request == id then -- else a newer one tells
      view.request = nil
      done(err, answer)
    end
  end, view.source and vim.api.nvim_buf_is_loaded(view.source) and view.source or nil)
  id = request
  view.request = request
end

local function command_of(view)
  return view.other and 'isadiff.compareAssembly' or 'isadiff.assembly'
end

--- Asks again; what is shown stays if it cannot be told now.
local function again(bufnr)
  local view = views[bufnr]
  if view then
    ask(view, command_of(view), function(err, answer)
      if not err and type(answer) == 'table' and views[bufnr] == view and vim.api.nvim_buf_is_loaded(bufnr) then
        take(bufnr, answer)
      end
    end)
  end
end

local function again_soon(bufnr)
  local view = views[bufnr]
  view.timer = view.timer or vim.uv.new_timer()
  view.timer:start(pause, 0, vim.schedule_wrap(function()
    again(bufnr)
  end))
end

--- Links are of one text of a source: another one has none until they were asked for again.
local function source_changed(source)
  for bufnr, view in pairs(views) do
    if source_in(view, source) then
      clear_links(bufnr)
      view.source = source
      again_soon(bufnr)
    end
  end
end

local function forget(bufnr)
  local view = views[bufnr]
  if not view then
    return
  end
  cancel(view)
  if view.timer then
    view.timer:close()
  end
  if view.answer then
    clear_links(bufnr)
  end
  views[bufnr] = nil
  if next(views) == nil then
    vim.api.nvim_del_augroup_by_name('isadiff.assembly')
  end
end

local function watch()
  vim.api.nvim_set_hl(0, 'IsadiffLinked', { default = true, link = 'Visual' })
  vim.api.nvim_set_hl(0, 'IsadiffChanged', { default = true, link = 'DiffAdd' })
  local group = vim.api.nvim_create_augroup('isadiff.assembly', {})
  local function on(events, callback, pattern)
    vim.api.nvim_create_autocmd(events, { group = group, pattern = pattern, callback = callback })
  end
  on({ 'CursorMoved', 'CursorMovedI', 'BufEnter' }, function(event)
    moved(event.buf)
  end)
  on({ 'TextChanged', 'TextChangedI', 'LspAttach', 'LspDetach' }, function(event)
    source_changed(event.buf)
  end)
  on('BufWipeout', function(event)
    forget(event.buf)
  end)
  on('User', function(event)
    for bufnr, view in pairs(views) do
      local client = vim.lsp.get_client_by_id(view.client)
      local root = client and client.config.root_dir
      local waits = view.timer and view.timer:is_active() -- while a compile brings many states
      if event.data.seq ~= view.seq and not waits and (not root or vim.fs.normalize(root) == path_of(event.data.folder)) then
        again_soon(bufnr)
      end
    end
  end, 'IsadiffStatus')
end

--- Makes a view of a buffer.
local function keep(bufnr, view)
  if next(views) == nil then
    watch()
  end
  local old = views[bufnr]
  if old then
    cancel(old)
    if old.timer then
      old.timer:close()
    end
  end
  views[bufnr] = view
  vim.b[bufnr].isadiff_kernel = view.argument.kernel
end

--- Shows the assembly of a kernel beside the current window, or shows it anew.
---@param client vim.lsp.Client
---@param argument table { kernel = key, folder? }
function M.open(client, argument)
  local view = { client = client.id, argument = argument, source = vim.api.nvim_get_current_buf() }
  ask(view, 'isadiff.assembly', function(err, answer)
    if err or type(answer) ~= 'table' then
      return say(err and err.message or 'there is no assembly', vim.log.levels.WARN)
    end
    local bufnr = scratch('isadiff://assembly/' .. argument.kernel, 'amdgpu')
    keep(bufnr, view)
    if #windows_of(bufnr) == 0 then
      local win = vim.api.nvim_get_current_win()
      vim.cmd('rightbelow vertical sbuffer ' .. bufnr)
      vim.wo[0][0].wrap = false
      vim.api.nvim_set_current_win(win)
    end
    take(bufnr, answer)
  end)
end

--- Shows both sides of a kernel in windows of differences, in a tab page of their own.
---@param client vim.lsp.Client
---@param argument table { kernel = key, folder?, plain? }
function M.compare(client, argument)
  local view = { client = client.id, argument = argument }
  ask(view, 'isadiff.compareAssembly', function(err, answer)
    if err or type(answer) ~= 'table' then
      return say(err and err.message or 'there is nothing to compare with', vim.log.levels.WARN)
    end
    local before = scratch('isadiff://baseline/' .. argument.kernel, 'amdgpu')
    local after = scratch('isadiff://now/' .. argument.kernel, 'amdgpu')
    view.other = before
    keep(after, view)
    vim.b[before].isadiff_kernel = argument.kernel
    if #windows_of(after) == 0 or #windows_of(before) == 0 then
      vim.cmd('tab sbuffer ' .. after)
      vim.cmd('leftabove vertical sbuffer ' .. before)
      for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
        vim.api.nvim_win_call(win, vim.cmd.diffthis)
      end
    end
    take(after, answer)
    for _, note in ipairs(answer.notes) do
      say(note, vim.log.levels.WARN)
    end
    local n = answer.instructions
    say(('%d → %d instructions: %d the same, %d in other registers, %d changed, %d moved, %d gone, %d new'):format(n.before, n.after, n.same, n.renamed, n.changed, n.moved, n.removed, n.added))
  end)
end

return M
