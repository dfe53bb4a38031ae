package cli

import (
	"context"

	"ctxledger.dev/cli/adopting"
	"ctxledger.dev/workspace"
)

// otherLedgers says which ledgers there are that ws does not use, and which command shows one, which is verb, or brings it
// into use.
func (a *app) otherLedgers(ctx context.Context, ws workspace.Workspace, verb string) []string {
	lines := adopting.Lines(ctx, a.Env, ws, verb)
	for i, text := range lines {
		lines[i] = a.self.In(text)
	}
	return lines
}

// sayOthers says on standard error which ledgers a list leaves out.
func (a *app) sayOthers(ctx context.Context, verb string) {
	for _, text := range a.otherLedgers(ctx, a.place, verb) {
		a.say("%s", text)
	}
}
