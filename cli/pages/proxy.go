package pages

import (
	"fmt"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
)

// Proxy says what a proxy measured; nil: nothing.
func (p Page) Proxy(u *ledger.ProxyUse) {
	if u == nil {
		return
	}
	fmt.Fprintf(p.W, "measured   %s", u.Words())
	fmt.Fprintf(p.W, "\n           first byte after %s ms (median)\n", chars.Commas(u.FirstMS))
	if u.Reduced != nil {
		fmt.Fprintf(p.W, "reduced    %s; what the agent shows of its window is what was sent\n", u.Reduced.Words())
	}
	head := "cache"
	for _, b := range u.Broke {
		fmt.Fprintf(p.W, "%-11s%s\n", head, columns.OneLine(b.Words()))
		head = ""
	}
	more := u.Breaks - len(u.Broke)
	p.say(more > 0, "           and %s, %s tokens in all", chars.Plural(more, "earlier break"), chars.Commas(u.Lost))
	p.say(len(u.Tools) > 0, "tools      in each request, tokens by server: %s", columns.OneLine(u.ToolsWords()))
	p.say(u.Missed > 0, "missed     %s not recorded: %s", chars.Plural(u.Missed, "request"),
		columns.OneLine(u.MissedWhy))
}

// Spent says what was used of each limit.
func (p Page) Spent(all []ledger.Spent) {
	for _, s := range all {
		head := "limit"
		if s.Reached() {
			head = "stopped"
		}
		fmt.Fprintf(p.W, "%-11s%s\n", head, columns.OneLine(s.String()))
	}
}
