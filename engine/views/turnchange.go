package views

import (
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
)

// begun returns the window with which a session began: what every request carries.
func (g gauge) begun() turnWindow {
	w := turnWindow{measure: g.agents}
	if g.fixed != nil {
		w.carries, w.held = g.carries[:1], *g.fixed
	}
	return w
}

// since returns by how much each part of a window is larger than it was before, or smaller where something was cut:
// together as much as the window is. What came counts as a share of what was measured of it alone, and what went as it was
// counted before: what stayed did not change, though another measurement may have another measure of it.
func (w turnWindow) since(before turnWindow) []ledger.Part {
	came, went := w.content.minus(before.content), before.content.minus(w.content)
	names, by := []string{}, map[string]int{}
	rest := w.held.N - before.held.N
	add := func(sign int, list []ledger.Category) {
		for _, x := range list {
			names, by[x.Name] = append(names, x.Name), by[x.Name]+sign*x.Tokens.N
			rest -= sign * x.Tokens.N
		}
	}
	add(1, w.carries)
	add(-1, before.carries)
	add(-1, categories(before.measure, went, before.content))
	m := w.measure
	if went.Total() == 0 {
		m = m.fit(came, rest)
	}
	add(1, categories(m, came, w.content))
	add(1, []ledger.Category{{Name: ledger.CategoryRest, Tokens: tokens.Count{N: rest}}})
	out := []ledger.Part{}
	for _, name := range names {
		if n := by[name]; n != 0 {
			out = append(out, ledger.Part{Name: name, Tokens: n})
			delete(by, name)
		}
	}
	return out
}
