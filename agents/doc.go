// Package agents recognises the files that coding agents keep of their conversations.
//
// Start with Detect. Each agent that ctxledger can read has a room of its own below this
// package (agents/claudecode), which reads its files and follows them live.
//
// A Room is what an agent's room offers to whoever reads its files without a ledger; package
// agents/audit holds the table of them.
//
// Detect looks at the beginning of a file only, needs no complete line and never fails: what it
// does not know is Unknown. The package deliberately opens no files and reads no conversation.
package agents
