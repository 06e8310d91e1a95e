--- :checkhealth isadiff
local M = {}

local health = vim.health

local function check_binary()
  local cmd = vim.lsp.config and vim.lsp.config.isadiff and vim.lsp.config.isadiff.cmd or require('isadiff.client').config().cmd
  if type(cmd) ~= 'table' then
    return health.info('the server is started by a function')
  end
  local path = vim.fn.exepath(cmd[1])
  if path == '' then
    return health.error(('the server "%s" was not found'):format(cmd[1]), { 'install isadiff and put it on PATH', 'or set vim.g.isadiff = { cmd = "/path/to/isadiff" }' })
  end
  local call = vim.system({ path, 'version', '--json' }, { text = true }):wait(5000)
  local ok, version = pcall(vim.json.decode, call.stdout or '')
  if call.code ~= 0 or not ok then
    return health.error(path .. ' does not tell its version', { 'run it yourself: ' .. path .. ' version --json', call.stderr or '' })
  end
  health.ok(('%s, version %s'):format(path, version.version))
end

local function check_status(status)
  local report = ({ [0] = health.ok, [1] = health.warn, [2] = health.warn })[status.exitCode] or health.info
  report(('%s: %s'):format(vim.uri_to_fname(status.folder), status.tooltip ~= '' and status.tooltip or status.text))
  local dumps = status.dumps
  if dumps.exists then
    health.ok('dumps: ' .. dumps.path .. (dumps.polling and ' (polled: ' .. (dumps.reason or 'no file events there') .. ')' or ''))
  else
    health.warn('dumps: ' .. dumps.path .. ' does not exist', { 'compile with FLYDSL_DUMP_IR=1', 'or name the folder: dumps = "…" in isadiff.toml' })
  end
  if status.baseline.exists then
    health.ok('baseline: ' .. status.baseline.path)
  else
    health.info('baseline: none yet; take one with :Isadiff baseline')
  end
end

function M.check()
  health.start('isadiff')
  health.info(('Neovim %s: code lenses %s'):format(tostring(vim.version()), vim.lsp.codelens.enable and 'by Neovim' or 'kept fresh by the plugin'))
  check_binary()
  local clients = vim.lsp.get_clients({ name = 'isadiff' })
  if #clients == 0 then
    return health.info('no server runs: it is started by a source with kernels (:help isadiff-start), or in a project with isadiff.toml, .isadiff or [tool.isadiff]')
  end
  for _, client in ipairs(clients) do
    local status = require('isadiff.client').ask(client, 'isadiff.status')
    if status then
      check_status(status)
    else
      health.error(('the server of %s does not answer'):format(client.config.root_dir or '?'), { ':Isadiff log' })
    end
  end
end

return M
