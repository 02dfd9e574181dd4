vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, {
  pattern = "*.quipu",
  callback = function()
    vim.bo.filetype = "quipu"
  end,
})
