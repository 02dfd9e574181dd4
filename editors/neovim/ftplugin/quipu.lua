-- Starts `quipu lsp` for a buffer with records. Settings are in vim.g.quipu, before the first file is opened:
--   vim.g.quipu = { path = "quipu", language = "en", public_url = "https://games.example.org" }
local settings = vim.g.quipu or {}
local buffer = vim.api.nvim_get_current_buf()

vim.bo[buffer].commentstring = "; %s"

local config = {
  name = "quipu",
  cmd = { settings.path or "quipu", "lsp" },
  filetypes = { "quipu" },
  root_dir = vim.fn.getcwd(),
  -- Neovim fills these only where they are given.
  init_options = { language = settings.language or "", publicUrl = settings.public_url or "" },
}

if vim.lsp.start then
  vim.lsp.start(config)
else
  -- Before Neovim 0.8 a program keeps the number of its server itself.
  _G.quipu_client = _G.quipu_client or vim.lsp.start_client(config)
  if _G.quipu_client then
    vim.lsp.buf_attach_client(buffer, _G.quipu_client)
  end
end
