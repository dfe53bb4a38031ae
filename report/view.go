package report

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// The rows that a View can have.
const (
	Daily     = "daily"
	Weekly    = "weekly" // weeks begin on Monday, as in ISO 8601
	Monthly   = "monthly"
	Blocks    = "blocks" // windows of five hours, as subscriptions have them: see blocksOf
	BySession = "session"
	ByProject = "project"
	ByModel   = "model"
)

// Views are all of them, in the order in which they are named.
var Views = []string{Daily, Weekly, Monthly, BySession, ByProject, ByModel, Blocks}

// View is what was spent in a span, row by row. Rows of days, weeks, months and blocks are in their order, others the most
// expensive first. A row of a model counts the requests that it had a part in: the total counts each once.
type View struct {
	By    string    `json:"by"`
	From  time.Time `json:"from,omitzero"` // as it was asked for
	To    time.Time `json:"to,omitzero"`
	Zone  string    `json:"zone,omitempty"` // that days are those of; "": this machine's
	Rows  []ViewRow `json:"rows"`
	Total Spent     `json:"total"`
}

// ViewRow is what was spent on one thing.
type ViewRow struct {
	// Name is the first day of a day, week or month (2006-01-02, 2006-01), the id of a session, a directory, a model; of a
	// block it is the day and time of its beginning. "" is what has no time, or is not known.
	Name    string    `json:"name"`
	Agent   string    `json:"agent,omitempty"` // of sessions and blocks
	Title   string    `json:"title,omitempty"` // of sessions
	Project string    `json:"project,omitempty"`
	Start   time.Time `json:"start,omitzero"` // of a block; else the quarter of an hour of the first request
	End     time.Time `json:"end,omitzero"`   // of a block; else of the quarter of an hour of the last request
	Spent
	Models []Row `json:"models"`         // the most expensive first
	Pace   *Pace `json:"pace,omitempty"` // of a block that is under way; else nil

	slots Slot
	first time.Time // request of a block
}

// Pace is how fast a block is used up, from its first request until now, and what it comes to if that goes on.
type Pace struct {
	Minutes    float64 `json:"minutes"` // that are left of it
	Tokens     float64 `json:"tokens_per_minute"`
	Dollars    float64 `json:"dollars_per_hour"`
	EndTokens  float64 `json:"projected_tokens"` // of the whole block, if that goes on until its end
	EndDollars float64 `json:"projected_dollars"`
}

// ViewOf returns a view of what was measured: its rows are by one of Views. Days are those of now's zone.
func ViewOf(all []*Measured, by string, in Span, now time.Time) View {
	v := viewing{by: by, zone: now.Location(), rows: map[string]*ViewRow{}, agents: map[string]Slots{}}
	for _, m := range all {
		for _, key := range slices.Sorted(maps.Keys(m.Slots)) {
			if in.has(key) {
				v.take(m, key, m.Slots[key])
			}
		}
	}
	for _, agent := range slices.Sorted(maps.Keys(v.agents)) {
		v.blocks(agent, v.agents[agent], now)
	}
	out := View{By: by, From: in.From, To: in.To, Rows: []ViewRow{}, Total: v.total}
	if v.zone != time.Local {
		out.Zone = v.zone.String()
	}
	for _, key := range slices.Sorted(maps.Keys(v.rows)) {
		r := v.rows[key]
		r.Spent, r.Models = r.slots.Spent, dearest(r.slots.Models)
		out.Rows = append(out.Rows, *r)
	}
	if slices.Contains([]string{BySession, ByProject, ByModel}, by) {
		slices.SortStableFunc(out.Rows, func(a, b ViewRow) int { return dearer(a.Spent, b.Spent) })
	}
	return out
}

// viewing is a view that is being made.
type viewing struct {
	by     string
	zone   *time.Location
	rows   map[string]*ViewRow // by what orders them
	agents map[string]Slots    // what blocks are made of
	total  Spent
}

// take adds a slot of a session file.
func (v *viewing) take(m *Measured, key int64, s *Slot) {
	v.total = v.total.plus(s.Spent)
	day := dayOf(key, v.zone)
	switch v.by {
	case Daily:
		v.add(key, s, ViewRow{Name: day})
	case Weekly:
		v.add(key, s, ViewRow{Name: monday(day)})
	case Monthly:
		v.add(key, s, ViewRow{Name: day[:min(len(day), len("2006-01"))]})
	case BySession:
		r := v.row(m.Agent+"\x00"+m.ID, ViewRow{Name: m.ID, Agent: m.Agent})
		if !m.Subagent || r.Title == "" {
			r.Title, r.Project = cmp.Or(m.Title, r.Title), cmp.Or(m.Project, r.Project)
		}
		v.into(r, key, s)
	case ByProject:
		v.add(key, s, ViewRow{Name: m.Project})
	case ByModel:
		for name, spent := range s.Models {
			v.add(key, &Slot{*spent, map[string]*Spent{name: spent}}, ViewRow{Name: name})
		}
	case Blocks:
		if v.agents[m.Agent] == nil {
			v.agents[m.Agent] = Slots{}
		}
		if v.agents[m.Agent][key] == nil {
			v.agents[m.Agent][key] = &Slot{Models: map[string]*Spent{}}
		}
		v.agents[m.Agent][key].merge(s)
	}
}

// row returns the row with a key: at first as it begins.
func (v *viewing) row(key string, begins ViewRow) *ViewRow {
	if v.rows[key] == nil {
		begins.slots.Models = map[string]*Spent{}
		v.rows[key] = &begins
	}
	return v.rows[key]
}

// add adds a slot to the row of a name.
func (v *viewing) add(key int64, s *Slot, of ViewRow) { v.into(v.row(of.Name, of), key, s) }

// into adds a slot to a row.
func (v *viewing) into(r *ViewRow, key int64, s *Slot) {
	r.slots.merge(s)
	if key == timeless {
		return
	}
	begins := time.Unix(key, 0).In(v.zone)
	if r.Start.IsZero() || begins.Before(r.Start) {
		r.Start = begins
	}
	if ends := begins.Add(slot); ends.After(r.End) {
		r.End = ends
	}
}

// monday returns the first day of a day's week; "" of "".
func monday(day string) string {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return ""
	}
	since := (int(at.Weekday()) + 6) % 7
	return at.AddDate(0, 0, -since).Format(time.DateOnly)
}

// blockLength is how long a window of a subscription is.
const blockLength = 5 * time.Hour

// blocks makes the blocks of an agent: one begins with the hour of the first request that no earlier one has, and is over after
// five hours, as providers count them.
func (v *viewing) blocks(agent string, slots Slots, now time.Time) {
	var block *ViewRow
	for _, key := range slices.Sorted(maps.Keys(slots)) {
		at := time.Unix(key, 0)
		if block == nil || key == timeless || !at.Before(block.End) {
			begins := ViewRow{Agent: agent}
			if key != timeless {
				begins.Start = at.Truncate(time.Hour).In(v.zone)
				begins.Name = begins.Start.Format("2006-01-02 15:04")
				begins.End = begins.Start.Add(blockLength)
			}
			block = v.row(begins.Name+"\x00"+agent, begins)
			block.first = at
		}
		block.slots.merge(slots[key])
		if key == timeless {
			block = nil
		}
	}
	if block != nil && now.Before(block.End) && !now.Before(block.Start) {
		block.Pace = block.pace(now)
	}
}

// pace says how fast a block is used up.
func (r *ViewRow) pace(now time.Time) *Pace {
	used, left := max(now.Sub(r.first), slot), r.End.Sub(now)
	tokens, dollars := float64(r.slots.Tokens()), r.slots.Dollars
	more := 1 + left.Minutes()/used.Minutes()
	return &Pace{Minutes: left.Minutes(), Tokens: tokens / used.Minutes(), Dollars: dollars / used.Hours(),
		EndTokens: tokens * more, EndDollars: dollars * more}
}
