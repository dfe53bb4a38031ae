// Package vscodetest tests the VS Code extension in the real editor: code-server, which is VS Code with its window in a
// browser, Debian's Chromium before it, the built programs behind it, and a session of Claude Code that is being
// written meanwhile.
//
// Start at vscode_test.go. What VS Code's API shows is asserted inside its extension host, by the suites in
// vscode-extension/suite; what only a person sees is looked at once, in the page, which is also how `make screenshots`
// takes its pictures. Everything is installed by `make vscode`; without CTXLEDGER_VSCODE the tests are left out.
//
// Guarantees: nothing outside a temporary directory is written or read but the installation, and the pictures that
// -screenshots asks for, that of docs/audit.md among them: no user's settings,
// sessions or ledgers; when the tests end, so has every process that they started. Of tests that were killed,
// code-server ends by itself, five minutes after the last page.
//
// It deliberately does not test what the extension's own tests in plain Node do, nor the server's answers, which the
// tests of cmd/ctxlsp and lsp compare.
package vscodetest
