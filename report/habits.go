package report

import (
	"cmp"
	"slices"
)

const (
	// maxHabits is how many habits a report names: nobody changes more of them at once.
	maxHabits = 3
	// longKept is the number of requests above which a tool result counts as kept for long.
	longKept = 20
)

// ListsParts is how an advice names the command that lists what is in every request.
const ListsParts = "`ctxledger context` lists"

// Habit is a way of working that made requests larger, with what that cost. Its figures are estimates, and no token is
// in those of two habits.
type Habit struct {
	Name   string `json:"name"`
	Advice string `json:"advice"` // what to do about it
	Carried
}

// String says what the habit cost, and what to do about it.
func (h Habit) String() string { return h.Cost() + " for " + h.Name + ": " + h.Advice }

// habits returns the habits that cost most, the most expensive first.
func (g *gathered) habits() []Habit {
	all := []Habit{
		{"tool results re-sent in more than 20 requests", "compact or start a new chat when a task is done", g.kept},
		{"files read again that had not changed", "tell the agent in CLAUDE.md or AGENTS.md to rely on what it has read",
			g.same},
		{"files read again after a compaction", "compact between tasks, not in the middle of one",
			g.out.Lost.Reread.Carried},
		{"the " + System.String(),
			"switch off or shorten what you do not need (" + ListsParts + " what each part costs)",
			g.classes[System]},
	}
	all = slices.DeleteFunc(all, func(h Habit) bool { return h.Sent <= 0 })
	slices.SortStableFunc(all, func(a, b Habit) int {
		return cmp.Or(cmp.Compare(b.Dollars, a.Dollars), cmp.Compare(b.Sent, a.Sent))
	})
	return all[:min(len(all), maxHabits)]
}
