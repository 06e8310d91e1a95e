--- Code lenses that follow the dumps: asked for again whenever the server says that something changed, not only when the text does.
local M = {}

---@type table<integer, integer> the client of each buffer that shows lenses
local shown = {}

local native = vim.lsp.codelens.enable ~= nil -- 0.12 does it all by itself

---@param bufnr integer
---@param client vim.lsp.Client
function M.attach(bufnr, client)
  if require('isadiff').options().codelens == false or shown[bufnr] then
    return
  end
  if native then
    vim.lsp.codelens.enable(true, { bufnr = bufnr })
    return
  end
  shown[bufnr] = client.id
  local group = vim.api.nvim_create_augroup('isadiff.codelens.' .. bufnr, {})
  vim.api.nvim_create_autocmd({ 'BufEnter', 'InsertLeave', 'TextChanged', 'BufWritePost' }, {
    group = group,
    buffer = bufnr,
    callback = function()
      M.refresh(bufnr)
    end,
  })
  vim.api.nvim_create_autocmd({ 'LspDetach', 'BufDelete' }, {
    group = group,
    buffer = bufnr,
    callback = function(event)
      if event.event == 'BufDelete' or event.data.client_id == shown[bufnr] then
        shown[bufnr] = nil
        vim.lsp.codelens.clear(client.id, bufnr)
        vim.api.nvim_del_augroup_by_id(group)
      end
    end,
  })
  M.refresh(bufnr)
end

--- Asks for the lenses of one buffer. vim.lsp.codelens.refresh drops a call while another is under way, and the figures of the dropped one
--- would never be shown.
---@param bufnr integer
function M.refresh(bufnr)
  local client = shown[bufnr] and vim.lsp.get_client_by_id(shown[bufnr])
  if not client or not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  end
  local params = { textDocument = vim.lsp.util.make_text_document_params(bufnr) }
  require('isadiff.client').request(client, 'textDocument/codeLens', params, vim.lsp.codelens.on_codelens, bufnr)
end

function M.refresh_all()
  for bufnr in pairs(shown) do
    M.refresh(bufnr)
  end
end

return M
