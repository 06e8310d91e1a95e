--- A server that ends by itself is started again a few times; then it stays down until it is asked for, and says so.
local M = {}

local restarts, window = 4, 3 * 60 -- seconds

---@type table<string, number[]> when the server of a root ended by itself, in seconds
local ends = {}

local function now()
  return vim.uv.hrtime() / 1e9
end

--- How often the server of a root ended by itself of late.
local function count(root)
  ends[root] = vim.tbl_filter(function(at)
    return now() - at <= window
  end, ends[root] or {})
  return #ends[root]
end

--- Whether the server of a root ended too often to be started by itself.
---@param root string
function M.is_down(root)
  return count(root) > restarts
end

---@type table<integer, boolean> the clients whose server is started again when it has ended as it was told to
local restarting = {}

--- Stops a server and starts it again, also one that ended too often.
---@param client vim.lsp.Client
function M.restart(client)
  restarting[client.id] = true
  if vim.fn.has('nvim-0.11') == 1 then
    client:stop()
  else
    client.stop()
  end
end

--- Lets every server be started again.
function M.forget()
  ends = {}
end

--- Callback on_exit of the client. A server that was told to end has exit code 0, or the signal 15 that Neovim sends.
---@param code integer
---@param signal integer
---@param client_id integer
function M.on_exit(code, signal, client_id)
  local client = vim.lsp.get_client_by_id(client_id)
  if not client then
    return
  end
  local root, buffers = client.config.root_dir or '', vim.tbl_keys(client.attached_buffers)
  local by_itself = code ~= 0 or (signal ~= 0 and signal ~= 15)
  local function settle()
    require('isadiff.status').forget(root)
    if vim.v.exiting ~= vim.NIL or not (by_itself or restarting[client_id]) then
      return
    end
    if by_itself then
      ends[root] = vim.list_extend({ now() }, ends[root] or {})
    end
    if M.is_down(root) then
      return vim.notify('isadiff: the server ended several times in a row and is not started again; :Isadiff log shows why, :Isadiff restart starts it', vim.log.levels.ERROR)
    end
    for _, bufnr in ipairs(buffers) do
      if vim.api.nvim_buf_is_loaded(bufnr) then
        require('isadiff.client').attach(bufnr)
      end
    end
  end
  -- The second turn of the loop from here: the first takes the buffers from the client, then it is forgotten, and before that it would be found
  -- and used again, dead as it is.
  vim.schedule(function()
    vim.schedule(settle)
  end)
end

return M
