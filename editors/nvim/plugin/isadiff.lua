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

-- Offered, not set: vim.keymap.set('n', ']k', '<Plug>(isadiff-next)')
vim.keymap.set('n', '<Plug>(isadiff-next)', '<cmd>Isadiff next<cr>', { desc = 'Next kernel that got worse' })
vim.keymap.set('n', '<Plug>(isadiff-previous)', '<cmd>Isadiff previous<cr>', { desc = 'Previous kernel that got worse' })

if not vim.filetype.match({ filename = 'kernel.hip' }) then
  vim.filetype.add({ extension = { hip = 'cpp' } })
end

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

vim.api.nvim_create_autocmd('BufWinEnter', {
  group = group,
  desc = 'isadiff: show a report as it is meant to look',
  pattern = '*/.isadiff/*.md',
  callback = function()
    vim.wo.conceallevel, vim.wo.wrap = 2, false
  end,
})

if type(vim.g.isadiff) == 'table' and vim.g.isadiff.enable == false then
  return
end

if vim.lsp.enable then -- 0.11: lsp/isadiff.lua says how
  vim.lsp.enable('isadiff')
end
-- 0.10 starts the server here.
if not vim.lsp.enable then
  vim.api.nvim_create_autocmd('FileType', {
    group = group,
    desc = 'isadiff: start the server for a file with kernels',
    pattern = { 'python', 'c', 'cpp', 'cuda', 'hip', 'asm', 'toml' },
    callback = function(event)
      require('isadiff.client').attach(event.buf)
    end,
  })
end
-- A file can come to use kernels after it was opened.
vim.api.nvim_create_autocmd('BufWritePost', {
  group = group,
  pattern = { '*.py', '*.hip', '*.cpp', '*.cc', '*.cxx', '*.cu' },
  desc = 'isadiff: start the server for a file with kernels',
  callback = function(event)
    require('isadiff.client').attach(event.buf)
  end,
})
