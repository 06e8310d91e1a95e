--- How the server is found, when it is started and with what.
local M = {}

M.filetypes = { 'python', 'c', 'cpp', 'cuda', 'hip', 'asm', 'toml' }

local configuration_files = { 'isadiff.toml', '.isadiff' }

---@return isadiff.Options
local function options()
  return require('isadiff').options()
end

--- The command that starts the server.
---@return string[]
local function command()
  local cmd = options().cmd or 'isadiff'
  return type(cmd) == 'table' and cmd or { vim.fs.normalize(cmd), 'lsp' }
end

--- Whether a folder's pyproject.toml has our table.
---@param folder string
local function has_table(folder)
  local file = io.open(vim.fs.joinpath(folder, 'pyproject.toml'))
  if not file then
    return false
  end
  local text = file:read('*a')
  file:close()
  return ('\n' .. text):find('\n%s*%[%s*tool%s*%.%s*isadiff[%s%.%]]') ~= nil
end

--- The folder of the nearest configuration upward of a path.
---@return string?
local function configured_root(path)
  local hit = vim.fs.find(function(name, folder)
    return vim.list_contains(configuration_files, name) or (name == 'pyproject.toml' and has_table(folder))
  end, { path = vim.fs.dirname(path), upward = true, limit = 1, type = nil })[1]
  return hit and vim.fs.dirname(hit)
end

local modules = { 'flydsl', 'triton' }

--- Whether a buffer is a source that defines or launches kernels which isadiff knows. Plain CUDA is not for AMD's processors.
local function uses_kernels(bufnr)
  local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
  if vim.bo[bufnr].filetype ~= 'python' then
    local text = table.concat(lines, '\n')
    local is_hip = vim.api.nvim_buf_get_name(bufnr):find('%.hip$') or text:find('hip/hip_runtime', 1, true)
    return is_hip and text:find('__global__', 1, true) ~= nil
  end
  for _, line in ipairs(lines) do
    for _, module in ipairs(modules) do
      if line:find('^%s*import%s+' .. module .. '%f[^%w_]') or line:find('^%s*from%s+' .. module .. '%f[^%w_]') then
        return true
      end
    end
  end
  return false
end

--- The root of the project that a buffer belongs to, if the server is of use there.
---@param bufnr integer
---@return string?
function M.root(bufnr)
  local path = vim.api.nvim_buf_get_name(bufnr)
  if path == '' or vim.bo[bufnr].buftype ~= '' then
    return nil
  end
  if vim.bo[bufnr].filetype == 'toml' and not vim.list_contains({ 'isadiff.toml', 'pyproject.toml' }, vim.fs.basename(path)) then
    return nil -- no configuration of ours
  end
  if vim.bo[bufnr].filetype == 'asm' then -- assembly is shown by the server that led to it
    local running = M.any()
    return running and running.config.root_dir or nil
  end
  local root = configured_root(path)
  if not root and uses_kernels(bufnr) then
    root = vim.fs.root(bufnr, { '.git' }) or vim.fs.root(bufnr, { 'pyproject.toml' }) or vim.fs.dirname(path)
  end
  return root
end

--- Says once that there is no server, and how to get one.
---@param binary string
---@return boolean
local function is_there(binary)
  if vim.fn.executable(binary) == 1 then
    return true
  end
  vim.notify_once(('isadiff: the server "%s" was not found; put it on PATH or set vim.g.isadiff.cmd (:checkhealth isadiff)'):format(binary), vim.log.levels.WARN)
  return false
end

--- Whether a server can be started for a root by itself.
---@param cmd string[]|function
local function may_start(root, cmd)
  return not require('isadiff.crash').is_down(root) and (type(cmd) ~= 'table' or is_there(cmd[1]))
end

--- Whether a compile command that the project names may be run there.
local function is_trusted(root)
  local trusted = options().trusted
  if type(trusted) == 'function' then
    return trusted(root) == true
  end
  return trusted == true
end

--- The configuration of the client, for vim.lsp.config and vim.lsp.start.
---@return table
function M.config()
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  capabilities = vim.tbl_deep_extend('force', capabilities, { workspace = { codeLens = { refreshSupport = true } } })
  local handlers = { ['isadiff/status'] = require('isadiff.status').receive }
  if not vim.lsp.codelens.enable then -- before 0.12 this request is not known
    handlers['workspace/codeLens/refresh'] = function()
      require('isadiff.codelens').refresh_all()
      return vim.NIL
    end
  end
  return {
    name = 'isadiff',
    cmd = command(),
    filetypes = M.filetypes,
    root_dir = function(bufnr, start)
      local root = M.root(bufnr)
      local cmd = vim.lsp.config.isadiff.cmd
      if root and may_start(root, cmd) then
        start(root)
      end
    end,
    init_options = { status = true },
    before_init = function(params, config)
      params.initializationOptions = vim.tbl_extend('keep', params.initializationOptions or {}, { status = true })
      params.initializationOptions.trusted = is_trusted(config.root_dir or '')
      -- Let diagnostics be pushed: asked to fetch them again, 0.12 fetches those of the workspace and then leaves out the open buffers.
      params.capabilities.textDocument.diagnostic = nil
    end,
    settings = { isadiff = options().settings or vim.empty_dict() },
    capabilities = capabilities,
    handlers = handlers,
    on_exit = require('isadiff.crash').on_exit,
    commands = require('isadiff.commands').of_lenses(),
  }
end

--- Starts the server for a buffer, or attaches the buffer to it, where that is of use.
---@param bufnr integer
function M.attach(bufnr)
  if #vim.lsp.get_clients({ bufnr = bufnr, name = 'isadiff' }) > 0 then
    return
  end
  local root = M.root(bufnr)
  local config = vim.lsp.config and vim.lsp.config.isadiff or M.config()
  if root and may_start(root, config.cmd) then
    vim.lsp.start(vim.tbl_extend('force', config, { root_dir = root }), { bufnr = bufnr })
  end
end

--- Starts the servers again, also those that ended too often; without one, starts it for the buffers that it is of use for.
function M.restart()
  local crash, clients = require('isadiff.crash'), vim.lsp.get_clients({ name = 'isadiff', _uninitialized = true })
  crash.forget()
  vim.tbl_map(crash.restart, clients)
  for _, bufnr in ipairs(#clients == 0 and vim.api.nvim_list_bufs() or {}) do
    if vim.api.nvim_buf_is_loaded(bufnr) and vim.list_contains(M.filetypes, vim.bo[bufnr].filetype) then
      M.attach(bufnr)
    end
  end
end

--- The client of a buffer, else any.
---@param bufnr? integer
---@return vim.lsp.Client?
function M.any(bufnr)
  return vim.lsp.get_clients({ bufnr = bufnr or vim.api.nvim_get_current_buf(), name = 'isadiff' })[1] or vim.lsp.get_clients({ name = 'isadiff' })[1]
end

--- Sends a request; the method of 0.10 takes no self.
function M.request(client, method, params, handler, bufnr)
  if vim.fn.has('nvim-0.11') == 1 then
    return client:request(method, params, handler, bufnr)
  end
  return client.request(method, params, handler, bufnr)
end

--- The parameters of a command of the server. An empty table would be sent as a list.
function M.call(name, argument)
  return { command = name, arguments = { argument and next(argument) and argument or vim.empty_dict() } }
end

--- Runs a command of the server and waits for its answer, at most a second.
---@return table?
function M.ask(client, name, argument)
  local params = M.call(name, argument)
  local answer
  if vim.fn.has('nvim-0.11') == 1 then
    answer = client:request_sync('workspace/executeCommand', params, 1000)
  else
    answer = client.request_sync('workspace/executeCommand', params, 1000, 0)
  end
  return answer and answer.result or nil
end

return M
