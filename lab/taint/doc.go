// Package taint lists the exits of a ledger: every place at which something that was recorded leaves it.
//
// Start at Exits. Each exit is masked, or exact for a reason. The tests compare the table with what the faces offer
// (the commands, the tools, prompts and resources of the MCP server, the methods of the language server), so that an
// exit without a rule fails; plant secrets in every field of recorded sessions, run every exit and search what comes
// out for them and for pieces of them; and compare docs/maintainers/threat-model.md with the table.
package taint
