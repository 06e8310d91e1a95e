--- What became of a kernel's instructions, in a window beside its source.
local M = {}

local NAME = 'isadiff://why'
local ns = vim.api.nvim_create_namespace('isadiff.why')

---@class isadiff.Sheet
---@field title string
---@field lines { text: string, uri?: string, line?: integer, command?: { command: string, arguments: table[] } }[]

---@type integer the window that the sheet was asked for from
local source

--- A window of this tab that shows a file, or -1.
local function window_of(name)
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win)) == name then
      return win
    end
  end
  return -1
end

--- Goes to the source line that a line of the sheet is about, or does what it offers.
local function open(client, line)
  if line and line.command then
    return require('isadiff.commands').execute(client, line.command.command, line.command.arguments[1])
  end
  if not line or not line.uri then
    return
  end
  local path = vim.uri_to_fname(line.uri)
  local shown = window_of(path)
  if shown ~= -1 then
    vim.api.nvim_set_current_win(shown)
  else
    if vim.api.nvim_win_is_valid(source) and source ~= window_of(NAME) then
      vim.api.nvim_set_current_win(source)
    else
      vim.cmd('leftabove vnew')
    end
    vim.cmd.edit(vim.fn.fnameescape(path))
  end
  vim.cmd("normal! m'") -- CTRL-O leads back
  vim.api.nvim_win_set_cursor(0, { math.min(line.line + 1, vim.api.nvim_buf_line_count(0)), 0 })
end

--- A window for the sheet: the one that shows the last sheet, else a new one on the right.
local function window()
  local current, win = vim.api.nvim_get_current_win(), window_of(NAME)
  if current ~= win then
    source = current
  end
  if win ~= -1 then
    return vim.api.nvim_set_current_win(win)
  end
  local old = vim.fn.bufnr('^' .. NAME .. '$')
  if old ~= -1 then -- in another tab
    vim.api.nvim_buf_delete(old, { force = true })
  end
  vim.cmd('botright vnew')
  vim.bo.buftype, vim.bo.bufhidden, vim.bo.swapfile = 'nofile', 'wipe', false
  vim.api.nvim_buf_set_name(0, NAME)
  vim.wo.wrap, vim.wo.number, vim.wo.relativenumber, vim.wo.cursorline = false, false, false, true
end

--- Shows the answer of isadiff.why.
---@param client vim.lsp.Client
---@param sheet isadiff.Sheet
function M.show(client, sheet)
  window()
  local bufnr, lines = vim.api.nvim_get_current_buf(), {}
  for i, line in ipairs(sheet.lines) do
    lines[i] = line.text
  end
  vim.bo[bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].modifiable = false
  vim.api.nvim_buf_clear_namespace(bufnr, ns, 0, -1)
  for i, line in ipairs(sheet.lines) do
    local group = i == 1 and 'Title' or (line.uri or line.command) and 'Directory'
    if group then
      vim.api.nvim_buf_set_extmark(bufnr, ns, i - 1, 0, { end_col = #line.text, hl_group = group })
    end
  end
  vim.keymap.set('n', '<cr>', function()
    open(client, sheet.lines[vim.api.nvim_win_get_cursor(0)[1]])
  end, { buffer = bufnr, nowait = true, desc = 'Go to the source line' })
  vim.keymap.set('n', 'q', '<cmd>close<cr>', { buffer = bufnr, nowait = true, desc = 'Close' })
end

return M
