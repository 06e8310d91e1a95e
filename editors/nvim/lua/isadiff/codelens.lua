--- Code lenses that follow the dumps: asked for again whenever the server says that something changed, not only when the text does.
local M = {}

---@type table<integer, integer> the client of each buffer that shows lenses
local shown = {}

local ns = vim.api.nvim_create_namespace('isadiff.codelens')
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
        vim.api.nvim_buf_clear_namespace(bufnr, ns, 0, -1)
        vim.api.nvim_del_augroup_by_id(group)
      end
    end,
  })
  M.refresh(bufnr)
end

--- Draws the lenses of a buffer above their lines, as 0.12 does, indented like these. Neovim keeps them for vim.lsp.codelens.run.
local function draw(bufnr, lenses)
  vim.api.nvim_buf_clear_namespace(bufnr, ns, 0, -1)
  local rows = {}
  for _, lens in ipairs(lenses) do
    local row = lens.range.start.line
    rows[row] = rows[row] or {}
    table.insert(rows[row], lens.command and lens.command.title or nil)
  end
  local count = vim.api.nvim_buf_line_count(bufnr)
  for row, titles in pairs(rows) do
    if row < count then
      local indent = vim.api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1]:match('^%s*')
      local chunks = { { indent, '' } }
      for i, title in ipairs(titles) do
        if i > 1 then
          chunks[#chunks + 1] = { ' | ', 'LspCodeLensSeparator' }
        end
        chunks[#chunks + 1] = { title, 'LspCodeLens' }
      end
      vim.api.nvim_buf_set_extmark(bufnr, ns, row, 0, { virt_lines = { chunks }, virt_lines_above = true, strict = false })
    end
  end
  -- Nothing is drawn above the first line of a window that is at its top: it is scrolled to show it.
  for _, win in ipairs(rows[0] and vim.fn.win_findbuf(bufnr) or {}) do
    vim.api.nvim_win_call(win, function()
      local view = vim.fn.winsaveview()
      if view.topline == 1 and view.topfill == 0 then
        vim.fn.winrestview({ topfill = 1 })
      end
    end)
  end
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
  require('isadiff.client').request(client, 'textDocument/codeLens', params, function(err, lenses)
    if not err and shown[bufnr] and vim.api.nvim_buf_is_loaded(bufnr) then
      vim.lsp.codelens.save(lenses or {}, bufnr, client.id)
      draw(bufnr, lenses or {})
    end
  end, bufnr)
end

function M.refresh_all()
  for bufnr in pairs(shown) do
    M.refresh(bufnr)
  end
end

return M
