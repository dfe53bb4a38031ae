-- Attaches the language server to a file in Neovim, looks at everything that it shows, edits the file, saves it
-- and prints what the editor then has, as JSON. CTXLSP and CTX_FILE are the program and the file.
local function await(what, ok)
  if not vim.wait(20000, ok, 10) then error('timeout: ' .. what) end
end

local function run()
  vim.cmd.edit(vim.env.CTX_FILE)
  local buf = vim.api.nvim_get_current_buf()
  local id = assert(vim.lsp.start({
    name = 'ctxlsp', cmd = { vim.env.CTXLSP, '--stdio' }, root_dir = vim.fs.dirname(vim.env.CTX_FILE),
    init_options = { lens = 'always', hover = 'always', hints = 1, symbols = true, diagnostics = { 'long-lines' }, live = false },
  }))
  local client = vim.lsp.get_client_by_id(id)
  local function ask(method, params)
    local answer = assert(vim.lsp.buf_request_sync(buf, 'textDocument/' .. method, params, 20000))[id]
    assert(answer and answer.result, method .. ': ' .. vim.inspect(answer))
    return answer.result
  end

  await('diagnostics', function() return #vim.diagnostic.get(buf) > 0 end)
  vim.lsp.inlay_hint.enable(true, { bufnr = buf })
  await('inlay hints', function() return #vim.lsp.inlay_hint.get({ bufnr = buf }) > 0 end)
  vim.lsp.codelens.refresh({ bufnr = buf })
  await('code lens', function() return #vim.lsp.codelens.get(buf) > 0 end)
  vim.api.nvim_win_set_cursor(0, { 1, 2 })
  local hover = ask('hover', vim.lsp.util.make_position_params(0, client.offset_encoding))
  local symbols = ask('documentSymbol', { textDocument = vim.lsp.util.make_text_document_params(buf) })

  -- Edits that an editor's own code makes: with undo, astral characters and joined lines.
  for i = 1, 50 do
    vim.api.nvim_buf_set_text(buf, i % 3, 0, i % 3, 0, { '😀 ' .. i, '漢字' })
    if i % 5 == 0 then vim.cmd('silent undo') end
    if i % 7 == 0 then vim.cmd('silent 1,2join') end
  end
  vim.cmd('silent write')
  local lens = ask('codeLens', { textDocument = vim.lsp.util.make_text_document_params(buf) })
  return {
    version = tostring(vim.version()), encoding = client.offset_encoding, diagnostic = vim.diagnostic.get(buf)[1].code,
    hint = vim.lsp.inlay_hint.get({ bufnr = buf })[1].inlay_hint.label, hover = hover.contents.value, symbol = symbols[1].name,
    lens = lens[1].command.title,
  }, client
end

local ok, result, client = pcall(run)
io.stdout:write(ok and vim.json.encode(result) or ('FAIL ' .. tostring(result)), '\n')
if client then
  client.stop()
  vim.wait(2000, client.is_stopped, 10)
end
vim.cmd(ok and 'qall!' or 'cquit 1')
