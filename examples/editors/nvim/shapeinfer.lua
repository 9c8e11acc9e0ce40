-- shapeinfer in Neovim, from 0.11: copy this file to ~/.config/nvim/plugin/shapeinfer.lua.

local command = vim.g.shapeinfer_command or "shapeinfer"

vim.filetype.add({ extension = { onnxtxt = "onnxtxt", onnxtext = "onnxtxt" } })

vim.lsp.config("shapeinfer", {
  cmd = { command, "lsp" },
  -- Programs too: the server answers for those that a model it knows was exported from.
  filetypes = { "onnxtxt", "python" },
  root_markers = { "shapeinfer.toml", "pyproject.toml", ".git" },
})
vim.lsp.enable("shapeinfer")

vim.api.nvim_create_autocmd("LspAttach", {
  group = vim.api.nvim_create_augroup("shapeinfer.attach", {}),
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if not client or client.name ~= "shapeinfer" then
      return
    end
    vim.lsp.inlay_hint.enable(true, { bufnr = event.buf })
    if client:supports_method("textDocument/codeLens") then
      vim.lsp.codelens.refresh({ bufnr = event.buf })
      vim.api.nvim_create_autocmd({ "DiagnosticChanged", "InsertLeave" }, {
        group = vim.api.nvim_create_augroup("shapeinfer.lenses." .. event.buf, {}),
        buffer = event.buf,
        callback = function()
          vim.lsp.codelens.refresh({ bufnr = event.buf })
        end,
      })
    end
    if vim.bo[event.buf].filetype == "onnxtxt" then
      vim.bo[event.buf].commentstring = "# %s"
      vim.bo[event.buf].completeopt = "menuone,noselect,popup" -- nothing is inserted until it is chosen
      vim.lsp.completion.enable(true, client.id, event.buf, { autotrigger = true })
    end
    local first_line = { format = function(found) return (found.message:match("[^\n]*")) end }
    vim.diagnostic.config({ virtual_text = first_line }, vim.lsp.diagnostic.get_namespace(client.id))
  end,
})

-- A binary model is read as text, without its weights, again whenever the file is written, and cannot be written itself.
local function read(buffer, file)
  local ran = vim.system({ command, "text", file }, { text = true }):wait()
  local lines = vim.split(ran.stdout, "\n", { trimempty = true })
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modified = false
  vim.bo[buffer].modifiable = false
  if ran.code ~= 0 then
    vim.notify(vim.trim(ran.stderr), vim.log.levels.ERROR)
    return {}
  end
  return lines
end

local watchers = {}

local function unwatch(buffer)
  if watchers[buffer] then
    watchers[buffer]:stop()
    watchers[buffer]:close()
    watchers[buffer] = nil
  end
end

local function watch(buffer, file)
  unwatch(buffer)
  watchers[buffer] = assert(vim.uv.new_fs_poll())
  watchers[buffer]:start(file, 1000, vim.schedule_wrap(function(failed)
    if not failed and vim.api.nvim_buf_is_loaded(buffer) then
      read(buffer, file)
    end
  end))
end

local function show(event)
  local buffer, file = event.buf, vim.fn.fnamemodify(event.match, ":p")
  vim.bo[buffer].readonly = true
  vim.bo[buffer].swapfile = false
  vim.bo[buffer].undolevels = -1
  local lines = read(buffer, file)
  watch(buffer, file)
  vim.bo[buffer].filetype = "onnxtxt"
  for number, line in ipairs(lines) do
    if line:match("^[^<]*{$") then -- the nodes, after weights that may be hundreds
      vim.api.nvim_win_set_cursor(0, { number, 0 })
      break
    end
  end
end

local models = vim.api.nvim_create_augroup("shapeinfer.models", {})
vim.api.nvim_create_autocmd("BufReadCmd", { group = models, pattern = "*.onnx", callback = show })
vim.api.nvim_create_autocmd("BufUnload", {
  group = models,
  pattern = "*.onnx",
  callback = function(event)
    unwatch(event.buf)
  end,
})
vim.api.nvim_create_autocmd("BufWriteCmd", {
  group = models,
  pattern = "*.onnx",
  callback = function()
    vim.notify("a binary model is shown as text, which cannot be written in its place", vim.log.levels.ERROR)
  end,
})

-- The shapes of a model in the programs that it was exported from: `:ShapeinferOpen FILE`, unless shapeinfer.toml names it.
vim.api.nvim_create_user_command("ShapeinferOpen", function(given)
  local model = vim.uri_from_fname(vim.fn.fnamemodify(given.args, ":p"))
  for _, client in ipairs(vim.lsp.get_clients({ name = "shapeinfer" })) do
    client:exec_cmd({ title = "Open", command = "shapeinfer.openModel", arguments = { model } })
  end
end, { nargs = 1, complete = "file" })

-- The page that `shapeinfer report` writes, in a browser: `:ShapeinferPage`, of another model `:ShapeinferPage FILE`.
vim.api.nvim_create_user_command("ShapeinferPage", function(given)
  local file = given.args ~= "" and given.args or vim.api.nvim_buf_get_name(0)
  local page = vim.fn.tempname() .. ".html"
  local ran = vim.system({ command, "report", file, "-o", page }, { text = true }):wait()
  if vim.uv.fs_stat(page) then
    vim.ui.open(page)
  else
    vim.notify(vim.trim(ran.stderr), vim.log.levels.ERROR)
  end
end, { nargs = "?", complete = "file" })
