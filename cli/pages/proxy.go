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
	for i, b := range u.Broke {
		head := ""
		if i == 0 {
			head = "cache      "
		}
		fmt.Fprintf(p.W, "%-11s%s\n", head, columns.OneLine(b.Words()))
	}
	if more := u.Breaks - len(u.Broke); more > 0 {
		fmt.Fprintf(p.W, "           and %s, %s tokens in all\n", chars.Plural(more, "earlier break"),
			chars.Commas(u.Lost))
	}
	if len(u.Tools) > 0 {
		fmt.Fprintf(p.W, "tools      in each request, tokens by server: %s\n", columns.OneLine(u.ToolsWords()))
	}
	if u.Missed > 0 {
		fmt.Fprintf(p.W, "missed     %s not recorded: %s\n", chars.Plural(u.Missed, "request"),
			columns.OneLine(u.MissedWhy))
	}
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
