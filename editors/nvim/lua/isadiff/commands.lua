--- :Isadiff and the commands behind code lenses. All are run by the server; what is done here is asking for what was left out and showing the
--- answer.
local M = {}

local function client_of(bufnr)
  return require('isadiff.client').any(bufnr)
end

local function say(message, level)
  vim.notify('isadiff: ' .. message, level or vim.log.levels.INFO)
end

--- Shows Markdown in a window of its own, closed by q.
local function show_markdown(text)
  local lines = vim.split(vim.trim(text), '\n')
  vim.cmd.new()
  local bufnr = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].buftype, vim.bo[bufnr].bufhidden, vim.bo[bufnr].filetype = 'nofile', 'wipe', 'markdown'
  vim.bo[bufnr].modifiable = false
  vim.keymap.set('n', 'q', '<cmd>close<cr>', { buffer = bufnr, nowait = true, desc = 'Close' })
  vim.api.nvim_win_set_height(0, math.min(#lines + 1, math.floor(vim.o.lines / 2)))
end

--- Runs a command of the server and shows its answer or why it refused.
---@param client vim.lsp.Client
---@param command string
---@param argument? table
function M.execute(client, command, argument)
  if command == 'isadiff.assembly' then
    return require('isadiff.assembly').open(client, argument)
  elseif command == 'isadiff.compareAssembly' then
    return require('isadiff.assembly').compare(client, argument)
  elseif command == 'isadiff.acceptRegression' and not argument.reason then
    -- For whoever reviews the file that it is written to.
    return vim.ui.input({ prompt = 'Why is the growth accepted? ' }, function(reason)
      if reason then
        M.execute(client, command, vim.tbl_extend('force', argument, { reason = reason }))
      end
    end)
  end
  if command == 'isadiff.showReport' then -- its text is shown
    argument = vim.tbl_extend('force', argument or {}, { plain = true })
  end
  local link = require('isadiff.client')
  link.request(client, 'workspace/executeCommand', link.call(command, argument), function(err, answer)
    if err then
      say(err.message, vim.log.levels.WARN)
    elseif type(answer) ~= 'table' then
      return
    elseif command == 'isadiff.explain' and answer.text then
      show_markdown(answer.text)
    elseif command == 'isadiff.why' and answer.lines then
      require('isadiff.why').show(client, answer)
    elseif answer.message then
      local problems = type(answer.problems) == 'table' and #answer.problems or 0
      say(answer.message .. (answer.log and '; its output: ' .. answer.log or ''), problems > 0 and vim.log.levels.WARN or nil)
    end
  end)
end

--- The server's commands as those of the client, so that a lens shows its command's answer.
---@return table<string, fun(command: table, context: table)>
function M.of_lenses()
  local commands = {}
  for _, name in ipairs({
    'acceptKernel', 'acceptRegression', 'assembly', 'capture', 'compare', 'compareAssembly', 'explain', 'mapPath', 'newestCounts', 'pair', 'removeLeftover', 'rescan', 'setCompile', 'showBudget', 'showIsa', 'showReport',
    'snapshotBaseline', 'tolerate', 'undoBaseline', 'why',
  }) do
    commands['isadiff.' .. name] = function(command, context)
      local client = context and vim.lsp.get_client_by_id(context.client_id) or client_of()
      if client then
        M.execute(client, command.command, (command.arguments or {})[1])
      end
    end
  end
  return commands
end

--- The kernels that the server knows, the worst first.
---@return table[]
local function kernels(client)
  local answer = require('isadiff.client').ask(client, 'isadiff.kernels')
  return answer and type(answer.kernels) == 'table' and answer.kernels or {}
end

--- Goes to the next definition, or the one before, with a kernel that got worse or cannot be judged: the worst first, and round.
---@param by 1|-1
local function step(client, by)
  local stops, seen, here = {}, {}, nil
  local path, row = vim.fs.normalize(vim.api.nvim_buf_get_name(0)), vim.api.nvim_win_get_cursor(0)[1] - 1
  for _, kernel in ipairs(kernels(client)) do
    local place = kernel.definition or (kernel.candidates or {})[1]
    local start = place and place.range.start or kernel.isa and { line = kernel.isa.line, character = 0 }
    local uri = place and place.uri or kernel.isa and kernel.isa.uri
    local marked = vim.list_contains({ 'worse', 'untrustworthy', 'one-sided' }, kernel.status) or vim.startswith(kernel.label, '▲')
    if marked and uri and not seen[uri .. ' ' .. start.line] then
      seen[uri .. ' ' .. start.line] = true
      stops[#stops + 1] = { file = vim.uri_to_fname(uri), start = start, label = kernel.label, name = kernel.name }
      if vim.fs.normalize(stops[#stops].file) == path and start.line == row then
        here = #stops
      end
    end
  end
  if #stops == 0 then
    return say('no regression')
  end
  local stop = stops[here and (here + by - 1) % #stops + 1 or by > 0 and 1 or #stops]
  vim.cmd("normal! m'") -- CTRL-O leads back
  if vim.fs.normalize(stop.file) ~= path then
    vim.cmd.edit(vim.fn.fnameescape(stop.file))
  end
  vim.api.nvim_win_set_cursor(0, { math.min(stop.start.line + 1, vim.api.nvim_buf_line_count(0)), stop.start.character })
end

--- The kernels whose definition is nearest above the cursor in its file.
local function at_cursor(list)
  local path, line = vim.api.nvim_buf_get_name(0), vim.api.nvim_win_get_cursor(0)[1] - 1
  local best, hits = -1, {}
  for _, kernel in ipairs(list) do
    local place = kernel.definition
    if place and vim.fs.normalize(vim.uri_to_fname(place.uri)) == vim.fs.normalize(path) and place.range.start.line <= line then
      if place.range.start.line > best then
        best, hits = place.range.start.line, {}
      end
      if place.range.start.line == best then
        hits[#hits + 1] = kernel
      end
    end
  end
  return hits
end

--- Calls back with the key of the kernel that is meant: the one named, the one at the cursor, or the user's choice.
local function with_kernel(client, name, act)
  local list = kernels(client)
  if name then
    local named = vim.tbl_filter(function(kernel)
      return kernel.key == name or kernel.name == name
    end, list)
    if #named == 1 then
      return act(named[1].key)
    end
    return say(#named == 0 and ('there is no kernel "%s"'):format(name) or ('several kernels are called "%s"; give the key'):format(name), vim.log.levels.WARN)
  end
  local candidates = at_cursor(list)
  if #candidates == 1 then
    return act(candidates[1].key)
  end
  candidates = #candidates > 0 and candidates or list
  if #candidates == 0 then
    return say('there is no kernel', vim.log.levels.WARN)
  end
  vim.ui.select(candidates, {
    prompt = 'Kernel',
    format_item = function(kernel)
      return vim.trim(kernel.name .. ' ' .. (kernel.variant or '')) .. '  ' .. kernel.label
    end,
  }, function(kernel)
    if kernel then
      act(kernel.key)
    end
  end)
end

--- The problem codes of the kernels at hand.
local function codes(client)
  local seen, list = {}, {}
  for _, kernel in ipairs(kernels(client)) do
    for _, problem in ipairs(type(kernel.problems) == 'table' and kernel.problems or {}) do
      if not seen[problem.code] then
        seen[problem.code] = true
        list[#list + 1] = problem.code
      end
    end
  end
  return list
end

--- All that can be explained: the problem codes at hand first.
local function topics(client)
  local list = codes(client)
  local answer = require('isadiff.client').ask(client, 'isadiff.explain')
  for _, topic in ipairs(answer and answer.topics or {}) do
    if not vim.list_contains(list, topic.name) then
      list[#list + 1] = topic.name
    end
  end
  return list
end

---@class isadiff.Subcommand
---@field run fun(client: vim.lsp.Client?, argument: string?, bang: boolean)
---@field without_server? boolean whether it is of use while no server runs
---@field complete? fun(client: vim.lsp.Client): string[]

local function plain(command)
  return function(client)
    M.execute(client, command)
  end
end

local function of_kernel(command, with_bang)
  return {
    run = function(client, name, bang)
      with_kernel(client, name or vim.b.isadiff_kernel, function(key)
        M.execute(client, command, vim.tbl_extend('keep', { kernel = key }, bang and with_bang or {}))
      end)
    end,
    complete = function(client)
      return vim.tbl_map(function(kernel)
        return kernel.key
      end, kernels(client))
    end,
  }
end

---@type table<string, isadiff.Subcommand>
local subcommands = {
  baseline = {
    run = function(client, _, bang)
      M.execute(client, 'isadiff.snapshotBaseline', bang and { force = true } or nil)
    end,
  },
  undo = { run = plain('isadiff.undoBaseline') },
  accept = of_kernel('isadiff.acceptRegression'),
  update = of_kernel('isadiff.acceptKernel'),
  report = { run = plain('isadiff.showReport') },
  isa = of_kernel('isadiff.showIsa'),
  why = of_kernel('isadiff.why'),
  assembly = of_kernel('isadiff.assembly'),
  diff = of_kernel('isadiff.compareAssembly', { plain = true }),
  rescan = { run = plain('isadiff.rescan') },
  capture = { run = plain('isadiff.capture') },
  compare = {
    run = function(client, rev)
      M.execute(client, 'isadiff.compare', { rev = rev or 'HEAD' })
    end,
  },
  explain = {
    run = function(client, code)
      code = code or codes(client)[1]
      if not code then
        return say('nothing needs an explanation; name a code, such as metadata-cut')
      end
      M.execute(client, 'isadiff.explain', { code = code })
    end,
    complete = topics,
  },
  next = {
    run = function(client)
      step(client, 1)
    end,
  },
  previous = {
    run = function(client)
      step(client, -1)
    end,
  },
  quickfix = {
    run = function(client)
      require('isadiff.quickfix').open(kernels(client))
    end,
  },
  status = {
    run = function(client)
      local status = require('isadiff.client').ask(client, 'isadiff.status')
      if status then
        say(status.tooltip ~= '' and status.tooltip or status.text)
      end
    end,
  },
  restart = {
    without_server = true,
    run = function()
      require('isadiff.client').restart()
    end,
  },
  log = {
    without_server = true,
    run = function()
      vim.cmd.tabnew(vim.lsp.log and vim.lsp.log.get_filename and vim.lsp.log.get_filename() or vim.lsp.get_log_path())
    end,
  },
}

--- Runs :Isadiff.
function M.run(call)
  local name, argument = call.fargs[1], call.fargs[2]
  local subcommand = subcommands[name]
  if not subcommand then
    return say(('there is no :Isadiff %s; there are %s'):format(name, table.concat(M.names(), ', ')), vim.log.levels.WARN)
  end
  local client = client_of()
  if not client and not subcommand.without_server then
    return say('the server does not run here: open a Python file that uses FlyDSL (:checkhealth isadiff)', vim.log.levels.WARN)
  end
  subcommand.run(client, argument, call.bang)
end

---@return string[]
function M.names()
  local names = vim.tbl_keys(subcommands)
  table.sort(names)
  return names
end

--- Completes :Isadiff.
function M.complete(lead, line)
  local before = vim.split(vim.trim(line:sub(1, #line - #lead)), '%s+')
  local words = {}
  if #before == 1 then
    words = M.names()
  elseif #before == 2 and subcommands[before[2]] and subcommands[before[2]].complete then
    local client = client_of()
    words = client and subcommands[before[2]].complete(client) or {}
  end
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, words)
end

return M
