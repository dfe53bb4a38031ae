package views

import (
	"context"
	"slices"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// StatusLine implements ledger.Views.
func (l *Views) StatusLine(ctx context.Context, r ledger.StatusLineRequest) (ledger.StatusLine, error) {
	if err := core.CheckTexts("engine.statusline", core.Label("host", r.Host),
		core.Label("host's session id", r.HostID)); err != nil {
		return ledger.StatusLine{}, err
	}
	line, err := core.View(ctx, l.core, func(tx kv.Tx) (ledger.StatusLine, error) { return l.statusLine(tx, r) })
	if err != nil || line.Session == "" {
		return line, err
	}
	st, err := l.Status(ctx, ledger.StatusRequest{Session: line.Session, Brief: true})
	line.Held, line.Window, line.Warned = st.Held, st.Window, st.Warned
	return line, err
}

// statusLine returns what the line says besides the window.
func (l *Views) statusLine(tx kv.Tx, r ledger.StatusLineRequest) (line ledger.StatusLine, err error) {
	bill, err := l.core.BilledToday(tx)
	if err != nil {
		return line, err
	}
	line.Today = bill.Cost(l.core.Settings(sessions.Session{}).Models)
	l.maskCost(line.Today)
	line.Savings.Causes = []ledger.Saving{}
	s, found, err := sessions.OfHost(tx, r.Host, r.HostID)
	if err != nil || !found || s.Pending {
		return line, err
	}
	f, err := l.core.Fold(tx, s.ID)
	if err != nil {
		return line, err
	}
	line.Session = s.ID
	var tools *ledger.OwnTools
	if replaced(f) { // without savings, the cost of our tools is not shown, and finding it takes time
		if of := l.core.Settings(s).Tools; of != nil {
			tools = of(s)
		}
	}
	if line.Savings, _, err = savingsOf(tx, f, f.Counter(""), tools); err != nil {
		return line, err
	}
	if line.Reduced, err = l.core.Reduced(tx, s.ID); err != nil {
		return line, err
	}
	line.Limits, err = l.core.Spent(tx, s, "")
	return line, err
}

// replaced reports whether a hook has replaced a result of the session.
func replaced(f *core.Folded) bool {
	stub := func(r sessions.Result) bool { return r.Whole > 0 }
	return slices.ContainsFunc(f.Entries, func(e sessions.Entry) bool { return slices.ContainsFunc(e.Results, stub) })
}
