package report

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"ctxledger.dev/internal/paths"
)

// maxDays is how many days a report lists.
const maxDays = 366

// Merge adds up what was measured of session files, by the days of a zone. The files' order decides what a session is called,
// and between rows that are equal; else it makes no difference.
func Merge(all []*Measured, zone *time.Location) Report {
	g := gathered{
		zone:   zone,
		models: map[string]*Spent{}, days: map[string]*Day{}, projects: map[string]*Spent{},
		tools: map[string]*Tool{}, files: map[string]*File{}, sessions: map[string]*SessionRow{},
		gaps: map[string]int{},
	}
	for _, m := range all {
		g.take(m)
	}
	return g.report()
}

// gathered is the sum of what was measured.
type gathered struct {
	zone             *time.Location
	out              Report
	models, projects map[string]*Spent
	days             map[string]*Day
	tools            map[string]*Tool
	files            map[string]*File
	sessions         map[string]*SessionRow
	classes          [classes]Carried
	kept, same       Carried
	gaps             map[string]int
}

// take adds one file.
func (g *gathered) take(m *Measured) {
	o := &g.out
	o.Files++
	if !m.First.IsZero() && (o.From.IsZero() || m.First.Before(o.From)) {
		o.From = m.First
	}
	if m.Last.After(o.To) {
		o.To = m.Last
	}
	o.Total, o.Subagents = o.Total.plus(m.Total), o.Subagents.plus(m.Subagents)
	for name, n := range m.Gaps {
		g.gaps[name] += n
	}
	o.Caveats.Unfinished = o.Caveats.Unfinished.plus(m.Unfinished)
	for _, key := range slices.Sorted(maps.Keys(m.Slots)) {
		g.slot(key, m.Slots[key])
	}
	count(g.projects, m.Project, m.Total)
	for _, name := range slices.Sorted(maps.Keys(m.Tools)) {
		g.tool(m.Tools[name])
	}
	for _, name := range slices.Sorted(maps.Keys(m.Files)) {
		g.file(m, m.Files[name])
	}
	g.session(m)
	for i, c := range m.Classes {
		g.classes[i] = g.classes[i].plus(c)
	}
	g.kept, g.same = g.kept.plus(m.Kept), g.same.plus(m.Same)
	for _, l := range m.Losses {
		g.loss(*l)
	}
}

// slot adds what was spent in a quarter of an hour.
func (g *gathered) slot(key int64, s *Slot) {
	name := dayOf(key, g.zone)
	day := g.days[name]
	if day == nil {
		day = &Day{Day: name, Models: map[string]float64{}}
		g.days[name] = day
	}
	day.Spent = day.plus(s.Spent)
	for _, model := range slices.Sorted(maps.Keys(s.Models)) {
		day.Models[model] += s.Models[model].Dollars
		count(g.models, model, *s.Models[model])
	}
}

func (g *gathered) tool(t *Tool) {
	sum := g.tools[t.Name]
	if sum == nil {
		sum = &Tool{Name: t.Name}
		g.tools[t.Name] = sum
	}
	sum.Calls += t.Calls
	sum.Carried = sum.plus(t.Carried)
}

// file adds the reads of a file. A path that is not absolute is one of its session's project.
func (g *gathered) file(m *Measured, f *File) {
	name, full := f.Path, paths.Abs(m.Project, f.Path)
	if !paths.Windows(name) { // which are shown as they were written
		name = full
	}
	key := paths.Key(full)
	sum := g.files[key]
	if sum == nil {
		sum = &File{Path: name, Project: m.Project}
		g.files[key] = sum
	}
	*sum = sum.plus(*f)
	g.out.Reads = g.out.Reads.plus(*f)
}

// session adds a file to its session: a subagent's belongs to the one that started it.
func (g *gathered) session(m *Measured) {
	id := m.Agent + "\x00" + m.ID
	s := g.sessions[id]
	if s == nil {
		s = &SessionRow{ID: m.ID, Agent: m.Agent, Start: m.First, End: m.Last, Filled: make([]Filled, classes)}
		g.sessions[id] = s
	}
	if !m.Subagent || s.Title == "" {
		s.Title, s.Project = cmp.Or(m.Title, s.Title), cmp.Or(m.Project, s.Project)
	}
	if !m.First.IsZero() && (s.Start.IsZero() || m.First.Before(s.Start)) {
		s.Start = m.First
	}
	if m.Last.After(s.End) {
		s.End = m.Last
	}
	s.Spent = s.plus(m.Total)
	s.Subagents += m.Subagents.Dollars
	s.Compactions += len(m.Losses)
	for i, c := range m.Classes {
		s.Filled[i].Class = Class(i).String()
		s.Filled[i].Carried = s.Filled[i].plus(c)
	}
}

func (g *gathered) loss(l Loss) {
	g.out.Compactions = append(g.out.Compactions, l)
	sum := &g.out.Lost
	sum.Before += l.Before
	sum.After += l.After
	sum.Calls += l.Calls
	sum.Used += l.Used
	sum.Missing += l.Missing
	sum.Reread = sum.Reread.plus(l.Reread)
	sum.Rerun = sum.Rerun.plus(l.Rerun)
}

// plus returns the sum of both, without examples.
func (a Again) plus(b Again) Again {
	return Again{Count: a.Count + b.Count, Carried: a.Carried.plus(b.Carried)}
}

// report sorts and caps what was gathered.
func (g *gathered) report() Report {
	o := g.out
	o.Dearest, o.Filled, o.Compactions = []SessionRow{}, []Filled{}, append([]Loss{}, o.Compactions...)
	o.Sessions, o.Places, o.Compacted = len(g.sessions), len(g.projects), len(o.Compactions)
	o.Models, o.Projects = dearest(g.models), dearest(g.projects)
	o.Days = g.dayRows()
	for _, m := range o.Models {
		if m.Unpriced > 0 {
			o.Caveats.Unpriced = append(o.Caveats.Unpriced, m.Name)
		}
	}
	for name, n := range g.gaps {
		o.Caveats.Gaps = append(o.Caveats.Gaps, Gap{name, n})
	}
	slices.SortFunc(o.Caveats.Gaps, func(a, b Gap) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), cmp.Compare(a.Name, b.Name))
	})
	o.Caveats.Gaps = o.Caveats.Gaps[:min(len(o.Caveats.Gaps), Rows)]
	o.Caveats.LongWrites = o.Total.Usage.CacheWriteLong
	for i, c := range g.classes {
		o.Filled = append(o.Filled, Filled{Class: Class(i).String(), Carried: c})
	}
	o.Habits = g.habits()
	o.Tools = top(g.tools, func(t *Tool) Carried { return t.Carried }, func(t *Tool) string { return t.Name })
	o.Read = top(g.files, func(f *File) Carried { return f.Carried }, func(f *File) string { return f.Path })
	for _, s := range slices.SortedFunc(maps.Values(g.sessions), func(a, b *SessionRow) int {
		return cmp.Or(dearer(a.Spent, b.Spent), a.Start.Compare(b.Start), cmp.Compare(a.ID, b.ID))
	}) {
		o.Dearest = append(o.Dearest, *s)
	}
	o.Dearest = o.Dearest[:min(len(o.Dearest), Rows)]
	slices.SortStableFunc(o.Compactions, func(a, b Loss) int {
		return cmp.Or(cmp.Compare(b.Missing+b.Reread.Count, a.Missing+a.Reread.Count), a.Time.Compare(b.Time))
	})
	o.Compactions = o.Compactions[:min(len(o.Compactions), Rows)]
	return o
}

// dayRows returns the newest days in their order.
func (g *gathered) dayRows() []Day {
	rows := []Day{}
	for _, day := range slices.Sorted(maps.Keys(g.days)) {
		rows = append(rows, *g.days[day])
	}
	return rows[max(0, len(rows)-maxDays):]
}

// dearest returns rows, the most expensive first.
func dearest(sums map[string]*Spent) []Row {
	rows := []Row{}
	for name, s := range sums {
		rows = append(rows, Row{name, *s})
	}
	slices.SortFunc(rows, func(a, b Row) int { return cmp.Or(dearer(a.Spent, b.Spent), cmp.Compare(a.Name, b.Name)) })
	return rows[:min(len(rows), Rows)]
}

// dearer orders by dollars, and where they are equal or not known by tokens, the most first.
func dearer(a, b Spent) int {
	return cmp.Or(cmp.Compare(b.Dollars, a.Dollars), cmp.Compare(b.Tokens(), a.Tokens()))
}

// top returns the most expensive things, sorted.
func top[T any](sums map[string]*T, carried func(*T) Carried, name func(*T) string) []T {
	all := slices.SortedFunc(maps.Values(sums), func(a, b *T) int {
		x, y := carried(a), carried(b)
		return cmp.Or(cmp.Compare(y.Dollars, x.Dollars), cmp.Compare(y.Sent, x.Sent), cmp.Compare(name(a), name(b)))
	})
	out := []T{}
	for _, t := range all[:min(len(all), Rows)] {
		out = append(out, *t)
	}
	return out
}
