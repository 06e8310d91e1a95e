--- What users and other plugins call. Options are those of vim.g.isadiff; see |isadiff-options|.
local M = {}

---@class isadiff.Options
---@field enable? boolean false: the server is not started by itself
---@field cmd? string|string[] the server's binary, or the whole command
---@field trusted? boolean|fun(root: string): boolean whether a compile command that a project names may be run
---@field codelens? boolean false: no code lenses
---@field settings? table keys of the project's configuration

--- Sets options. Calling it is optional: vim.g.isadiff does the same before the plugin is loaded.
---@param options? isadiff.Options
function M.setup(options)
  vim.g.isadiff = vim.tbl_deep_extend('force', M.options(), options or {})
  if vim.lsp.config then
    vim.lsp.config('isadiff', require('isadiff.client').config())
  end
end

---@return isadiff.Options
function M.options()
  return type(vim.g.isadiff) == 'table' and vim.g.isadiff or {}
end

--- The text for a status line: the verdict and counts of the buffer's project, '' without a server. With { quiet = true } it is '' too
--- while all is well.
---@param options? { quiet?: boolean, bufnr?: integer }
---@return string
function M.statusline(options)
  return require('isadiff.status').text(options or {})
end

--- The last isadiff/status of the buffer's project, as docs/reference/protocol.md describes it.
---@param bufnr? integer
---@return table?
function M.status(bufnr)
  return require('isadiff.status').of(bufnr)
end

return M
