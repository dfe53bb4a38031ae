package cli

import (
	"fmt"

	"ctxledger.dev/internal/shell"
	"ctxledger.dev/workspace"
)

// describeOthers says of each ledger that ws does not use what it is, and which command shows it: verb, or one that
// brings it into use.
func describeOthers(ws workspace.Workspace, others []workspace.Other, verb string) (list []string) {
	for _, o := range others {
		text := fmt.Sprintf("%s has a ledger of its own, from before it was part of %s: `ctxledger --workspace %s %s` "+
			"shows it", o.Root, ws.Root, shell.Quote(o.Root), verb)
		if o.Same {
			text = fmt.Sprintf("%s has another ledger, in %s: to use that one, run `ctxledger daemon stop` and then "+
				"`mv %s %s`", o.Root, o.State, shell.Quote(ws.State), shell.Quote(ws.State+"-aside"))
		}
		list = append(list, text)
	}
	return list
}

// sayOthers says on standard error which ledgers of this place a list leaves out.
func (a *app) sayOthers(verb string) {
	for _, text := range describeOthers(a.place, workspace.Others(a.Env, a.place), verb) {
		a.say("%s", a.self.In(text))
	}
}
