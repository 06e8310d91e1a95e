-- The configuration that vim.lsp.enable('isadiff') reads. Change it by vim.lsp.config('isadiff', { … }) or vim.g.isadiff.
return require('isadiff.client').config()
