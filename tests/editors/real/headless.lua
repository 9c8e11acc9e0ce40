-- Plays one session in Neovim without a screen, and writes what it saw: a line of JSON for each thing.
-- SERVER is the command that starts the language server, FOLDER holds net.onnxtxt.

local folder = vim.env.FOLDER
local function say(what, value)
  io.stdout:write(vim.json.encode({ what, value }) .. "\n")
end
local function wait(what, holds)
  if not vim.wait(30000, holds, 20) then
    say("waited in vain", what)
    vim.cmd("cquit!")
  end
end
local function press(keys, mode)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(keys, true, false, true), mode, false)
end
local function line(number)
  return vim.api.nvim_buf_get_lines(0, number - 1, number, false)[1]
end

vim.opt.swapfile = false
vim.opt.completeopt = { "menu", "menuone", "noinsert" }
vim.cmd("filetype on")
vim.filetype.add({ extension = { onnxtxt = "onnxtxt" } })
vim.lsp.config("shapeinfer", { cmd = { vim.env.SERVER, "lsp" }, filetypes = { "onnxtxt" }, root_dir = folder })
vim.lsp.enable("shapeinfer")
vim.cmd.edit(folder .. "/net.onnxtxt")
wait("the server", function()
  return #vim.lsp.get_clients({ bufnr = 0 }) > 0
end)
local client = vim.lsp.get_clients({ bufnr = 0 })[1]
vim.lsp.completion.enable(true, client.id, 0, { autotrigger = false })
vim.lsp.inlay_hint.enable(true)
wait("diagnostics", function()
  return #vim.diagnostic.get(0) > 0
end)
say("diagnostics", vim.tbl_map(function(d)
  return { d.lnum + 1, d.code }
end, vim.diagnostic.get(0)))
wait("hints", function()
  return #vim.lsp.inlay_hint.get({ bufnr = 0 }) > 0
end)
say("hints", vim.tbl_map(function(hint)
  return { hint.inlay_hint.position.line + 1, hint.inlay_hint.label }
end, vim.lsp.inlay_hint.get({ bufnr = 0 })))

-- Type on a new line, open the menu, choose from it with some keys, and leave.
local function completed(after, typed, choice)
  vim.api.nvim_win_set_cursor(0, { after, 0 })
  local timer, offered, chosen = vim.uv.new_timer(), nil, false
  timer:start(300, 100, vim.schedule_wrap(function()
    if offered == nil then
      vim.lsp.completion.get()
      offered = {}
    elseif not chosen and vim.fn.pumvisible() == 1 then
      for _, item in ipairs(vim.fn.complete_info({ "items" }).items) do
        table.insert(offered, item.abbr)
      end
      press(choice, "n")
      chosen = true
    elseif chosen then
      timer:stop()
      press("<Esc>", "n")
    end
  end))
  press("o" .. typed, "nx!")
  return { offered = offered, line = vim.trim(line(after + 1)) }
end
say("an operator completed", completed(4, "z = Soft", "<C-n><C-y>"))
say("an attribute completed", completed(5, "q = Gemm <transA = 1, al", "<C-y>"))
vim.api.nvim_buf_set_lines(0, 4, 6, false, {})

vim.api.nvim_buf_set_lines(0, 4, 4, false, { "    c = Conv <group = 1> (x, " })
vim.api.nvim_win_set_cursor(0, { 5, 28 })
vim.lsp.buf.signature_help()
local function float()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= "" then
      return vim.api.nvim_win_get_buf(window)
    end
  end
end
wait("signature help", float)
say("signature help", vim.api.nvim_buf_get_lines(float(), 0, -1, false))
vim.api.nvim_buf_set_lines(0, 4, 5, false, {})

vim.lsp.codelens.refresh({ bufnr = 0 })
wait("lenses", function()
  local lenses = vim.lsp.codelens.get(0)
  return #lenses > 0 and vim.iter(lenses):all(function(lens)
    return lens.command ~= nil
  end)
end)
say("lenses", vim.tbl_map(function(lens)
  return { lens.range.start.line + 1, lens.command.title }
end, vim.lsp.codelens.get(0)))
local shown
client.handlers["window/showMessage"] = function(_, result)
  shown = result.message
end
vim.ui.select = function(items, _, choose)
  choose(items[1], 1)
end
vim.api.nvim_win_set_cursor(0, { 9, 0 })
vim.lsp.codelens.run()
wait("what a lens leads to", function()
  return shown ~= nil
end)
say("what a lens leads to", shown)

vim.api.nvim_win_set_cursor(0, { 11, 9 })
vim.lsp.buf.code_action({
  apply = true,
  filter = function(action)
    return action.isPreferred
  end,
})
wait("a quick fix", function()
  return line(11) == "    m = Relu (k)"
end)
say("a quick fix", vim.trim(line(11)))

vim.wo.foldmethod = "expr"
vim.wo.foldexpr = "v:lua.vim.lsp.foldexpr()"
wait("folds", function()
  return vim.fn.foldlevel(4) > 0
end)
say("folds", vim.iter(vim.fn.range(1, 12)):map(vim.fn.foldlevel):totable())

local settings = io.open(folder .. "/shapeinfer.toml", "w")
settings:write('ignore = ["inner-dim-mismatch", "unused-node"]\n')
settings:close()
client:notify("workspace/didChangeConfiguration", { settings = {} })
wait("a changed configuration", function()
  return #vim.diagnostic.get(0) == 0
end)
say("a changed configuration", #vim.diagnostic.get(0))
vim.cmd("qall!")
