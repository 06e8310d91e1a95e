--- The quickfix list of everything that needs a look.
local M = {}

local wanted = { worse = 'W', untrustworthy = 'E', ['one-sided'] = 'E' }

local function item(kernel, text)
  local place = kernel.definition or (type(kernel.candidates) == 'table' and kernel.candidates[1]) or nil
  local entry = { text = text, type = wanted[kernel.status] }
  if place then
    entry.filename = vim.uri_to_fname(place.uri)
    entry.lnum, entry.col = place.range.start.line + 1, place.range.start.character + 1
  elseif kernel.isa then
    entry.filename, entry.lnum = vim.uri_to_fname(kernel.isa.uri), kernel.isa.line + 1
  end
  return entry
end

--- The entries for a list of kernels.
---@param kernels table[]
---@return table[]
function M.items(kernels)
  local items = {}
  for _, kernel in ipairs(kernels) do
    if wanted[kernel.status] then
      local problems = type(kernel.problems) == 'table' and kernel.problems or {}
      for _, problem in ipairs(problems) do
        items[#items + 1] = item(kernel, ('[%s] %s; %s'):format(problem.code, problem.message, problem.mend))
      end
      if #problems == 0 then
        items[#items + 1] = item(kernel, vim.trim(kernel.name .. ' ' .. (kernel.variant or '')) .. ': ' .. kernel.summary)
      end
    end
  end
  return items
end

---@param kernels table[]
function M.open(kernels)
  local items = M.items(kernels)
  vim.fn.setqflist({}, ' ', { title = 'isadiff', items = items })
  if #items == 0 then
    return vim.notify('isadiff: no regression')
  end
  vim.cmd('botright copen')
end

return M
