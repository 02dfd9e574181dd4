-- Neovim with the plugin of editors/neovim, on an empty file: types a record, and looks at everything that the server shows.

local function check(condition, message)
  if not condition then
    io.stderr:write(message .. "\n")
    vim.cmd("cquit 1")
  end
end

local function wait(message, condition)
  check(vim.wait(20000, condition, 20), "no " .. message)
end

local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, 20000)
  check(answers, "no answer to " .. method)
  for _, answer in pairs(answers) do
    check(not answer.err, method .. ": " .. vim.inspect(answer.err))
    return answer.result
  end
  check(false, "no server for " .. method)
end

local ok, fault = pcall(function()
  check(vim.bo.filetype == "quipu", "the file type is " .. vim.bo.filetype)
  check(vim.fn.exists("g:quipu") == 1, "no settings")
  wait("server", function()
    return #vim.lsp.get_active_clients() == 1 and vim.lsp.get_active_clients()[1].initialized
  end)

  vim.api.nvim_buf_set_lines(0, 0, -1, false, { '[Game "andes"]', '[Sol "Quispe, Ana"]', "", "1. 0d3 2A3", "2. 2a1", "*" })
  wait("finding", function()
    local found = vim.diagnostic.get(0)
    return #found == 1 and found[1].code == "andes.3.6"
  end)
  local found = vim.diagnostic.get(0)[1]
  check(found.lnum == 4 and found.col == 3 and found.source == "quipu", vim.inspect(found))

  vim.api.nvim_win_set_cursor(0, { 5, 4 })
  local here = vim.lsp.util.make_position_params(0, "utf-16")
  local hover = ask("textDocument/hover", here)
  check(hover.contents.value:find("andes%.3%.6"), vim.inspect(hover))
  local moves = ask("textDocument/completion", here)
  check(#moves.items > 10, vim.inspect(moves))

  local range = vim.lsp.util.make_range_params(0, "utf-16")
  range.context = { diagnostics = {} }
  local actions = ask("textDocument/codeAction", range)
  check(actions[1].title:find("^Replace with "), vim.inspect(actions))
  vim.lsp.util.apply_workspace_edit(actions[1].edit, "utf-16")
  wait("record without findings", function()
    return #vim.diagnostic.get(0) == 0
  end)

  vim.api.nvim_buf_set_lines(0, 2, 3, false, {})
  local edits = ask("textDocument/formatting", vim.lsp.util.make_formatting_params())
  vim.lsp.util.apply_text_edits(edits, 0, "utf-16")
  check(vim.api.nvim_buf_get_lines(0, 2, 3, false)[1] == "", "the empty line after the tags")

  vim.api.nvim_win_set_cursor(0, { 2, 8 })
  local rename = vim.lsp.util.make_position_params(0, "utf-16")
  rename.newName = "Quispe, Rosa"
  vim.lsp.util.apply_workspace_edit(ask("textDocument/rename", rename), "utf-16")
  check(vim.api.nvim_buf_get_lines(0, 1, 2, false)[1] == '[Sol "Quispe, Rosa"]', "the new name")

  check(vim.fn.synIDattr(vim.fn.synID(1, 2, 1), "name") == "quipuTag", "a tag is highlighted")
end)
check(ok, tostring(fault))
vim.cmd("qall!")
