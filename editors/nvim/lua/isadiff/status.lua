--- The verdict of each project, as the server tells it.
local M = {}

---@type table<string, table> the last status, by the folder's path
local statuses = {}

local function path_of(uri)
  return vim.fs.normalize(vim.uri_to_fname(uri))
end

--- Handler of the notification isadiff/status.
function M.receive(_, status)
  statuses[path_of(status.folder)] = status
  require('isadiff.codelens').refresh_all()
  vim.cmd.redrawstatus({ bang = true })
  vim.api.nvim_exec_autocmds('User', { pattern = 'IsadiffStatus', modeline = false, data = status })
end

--- Forgets what the server of a root said: it runs no more.
---@param root string
function M.forget(root)
  statuses[vim.fs.normalize(root)] = nil
  vim.cmd.redrawstatus({ bang = true })
end

--- The status of a buffer's project.
---@param bufnr? integer
---@return table?
function M.of(bufnr)
  local client = vim.lsp.get_clients({ bufnr = bufnr or vim.api.nvim_get_current_buf(), name = 'isadiff' })[1]
  local root = client and client.config.root_dir
  return root and statuses[vim.fs.normalize(root)] or nil
end

---@param options { quiet?: boolean, bufnr?: integer }
---@return string
function M.text(options)
  local status = M.of(options.bufnr)
  if not status or (options.quiet and status.state == 'ok') then
    return ''
  end
  return M.bar(status)
end

--- The text of a status, with its folder and the regressions of the others where several are open.
---@param status table
---@return string
function M.bar(status)
  local text = status.name and status.text:gsub('^isadiff', 'isadiff ' .. status.name:gsub('%%', '%%%%'), 1) or status.text
  return status.elsewhere and text .. ' · ' .. status.elsewhere or text
end

--- All statuses, sorted by folder.
---@return table[]
function M.all()
  local list = vim.tbl_values(statuses)
  table.sort(list, function(a, b)
    return a.folder < b.folder
  end)
  return list
end

return M
