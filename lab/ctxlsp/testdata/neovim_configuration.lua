-- Attaches the language server to ctxledger.yaml in Neovim and prints, as JSON, the diagnostic, the hover and the
-- completions that the editor then has. CTXLSP and CTX_FILE are the program and the file.
local function run()
  vim.cmd.edit(vim.env.CTX_FILE)
  local buf = vim.api.nvim_get_current_buf()
  local id = assert(vim.lsp.start({
    name = 'ctxlsp', cmd = { vim.env.CTXLSP, '--stdio' }, root_dir = vim.fs.dirname(vim.env.CTX_FILE),
    init_options = { live = false },
  }))
  local client = vim.lsp.get_client_by_id(id)
  local function ask(method)
    local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
    local answer = assert(vim.lsp.buf_request_sync(buf, 'textDocument/' .. method, params, 20000))[id]
    assert(answer and answer.result, method .. ': ' .. vim.inspect(answer))
    return answer.result
  end
  if not vim.wait(20000, function() return #vim.diagnostic.get(buf) > 0 end, 10) then error('no diagnostics') end
  local wrong = vim.diagnostic.get(buf)[1]
  vim.api.nvim_win_set_cursor(0, { 1, 2 })
  local hover = ask('hover').contents.value
  vim.api.nvim_win_set_cursor(0, { 2, 4 })
  local labels = vim.tbl_map(function(item) return item.label end, ask('completion'))
  return { diagnostic = wrong.message, line = wrong.lnum, column = wrong.col, hover = hover, labels = labels }, client
end

local ok, result, client = pcall(run)
io.stdout:write(ok and vim.json.encode(result) or ('FAIL ' .. tostring(result)), '\n')
if client then
  client.stop()
  vim.wait(2000, client.is_stopped, 10)
end
vim.cmd(ok and 'qall!' or 'cquit 1')
