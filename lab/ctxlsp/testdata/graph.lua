-- Opens a context graph in Neovim, looks at it, goes to a block, renames it, saves, and prints what was there as JSON.
-- CTXLSP and CTX_FILE are the program and the file.
local function await(what, ok)
  if not vim.wait(20000, ok, 10) then error('timeout: ' .. what) end
end

local function run()
  vim.cmd.edit(vim.env.CTX_FILE)
  local buf = vim.api.nvim_get_current_buf()
  local id = assert(vim.lsp.start({
    name = 'ctxlsp', cmd = { vim.env.CTXLSP, '--stdio' }, root_dir = vim.fs.dirname(vim.env.CTX_FILE),
    init_options = { live = false },
  }))
  local client = vim.lsp.get_client_by_id(id)
  await('diagnostics', function() return #vim.diagnostic.get(buf) > 0 end)
  local codes = {}
  for _, found in ipairs(vim.diagnostic.get(buf)) do codes[#codes + 1] = found.code end
  vim.lsp.codelens.refresh({ bufnr = buf })
  await('code lens', function() return #vim.lsp.codelens.get(buf) > 0 end)
  local lens
  for _, l in ipairs(vim.lsp.codelens.get(buf)) do
    if l.range.start.line == 10 then lens = l.command.title end
  end

  vim.api.nvim_win_set_cursor(0, { 13, 9 }) -- on goal
  vim.lsp.buf.definition()
  await('definition', function() return vim.api.nvim_win_get_cursor(0)[1] == 1 end)
  local definition = vim.api.nvim_win_get_cursor(0)[1]
  vim.api.nvim_win_set_cursor(0, { 13, 9 })
  vim.lsp.buf.rename('aim')
  await('rename', function() return vim.api.nvim_buf_get_lines(buf, 0, 1, false)[1] == '# Goal {id=aim}' end)
  vim.cmd('silent write')
  return { codes = codes, lens = lens, definition = definition }, client
end

local ok, result, client = pcall(run)
io.stdout:write(ok and vim.json.encode(result) or ('FAIL ' .. tostring(result)), '\n')
if client then
  client.stop()
  vim.wait(2000, client.is_stopped, 10)
end
vim.cmd(ok and 'qall!' or 'cquit 1')
