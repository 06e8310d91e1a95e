-- Read at start-up, so it only says when the rest is wanted: nothing of lua/isadiff is loaded before a Python file is opened or :Isadiff is typed.
if vim.g.loaded_isadiff then
  return
end
vim.g.loaded_isadiff = true

if vim.fn.has('nvim-0.10') == 0 then
  vim.notify_once('isadiff needs Neovim 0.10 or newer', vim.log.levels.WARN)
  return
end

vim.api.nvim_create_user_command('Isadiff', function(call)
  require('isadiff.commands').run(call)
end, {
  nargs = '+',
  bang = true,
  desc = 'Compare the resources of GPU kernels with their baseline',
  complete = function(...)
    return require('isadiff.commands').complete(...)
  end,
})

local group = vim.api.nvim_create_augroup('isadiff', {})
vim.api.nvim_create_autocmd('LspAttach', {
  group = group,
  desc = 'isadiff: keep code lenses fresh',
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == 'isadiff' then
      require('isadiff.codelens').attach(event.buf, client)
    end
  end,
})

if type(vim.g.isadiff) == 'table' and vim.g.isadiff.enable == false then
  return
end

if vim.lsp.enable then -- 0.11: lsp/isadiff.lua says how
  vim.lsp.enable('isadiff')
end
-- 0.10 starts the server here. Later versions do it for a file that came to use kernels after it was opened.
vim.api.nvim_create_autocmd(vim.lsp.enable and 'BufWritePost' or { 'FileType', 'BufWritePost' }, {
  group = group,
  desc = 'isadiff: start the server for a file with kernels',
  callback = function(event)
    if vim.bo[event.buf].filetype == 'python' or vim.bo[event.buf].filetype == 'asm' then
      require('isadiff.client').attach(event.buf)
    end
  end,
})
