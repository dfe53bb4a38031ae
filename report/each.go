package report

import "ctxledger.dev/internal/chars"

// CutTitles shortens the titles of sessions to at most n characters: after masking, so that no half of a
// secret is left.
func (r *Report) CutTitles(n int) {
	for i := range r.Dearest {
		r.Dearest[i].Title = chars.Head(r.Dearest[i].Title, n)
	}
}

// CutTitles is Report.CutTitles.
func (v *View) CutTitles(n int) {
	for i := range v.Rows {
		v.Rows[i].Title = chars.Head(v.Rows[i].Title, n)
	}
}

// Each replaces every text of the report that comes from a session by what f makes of it: for masks.
func (r *Report) Each(f func(string) string) {
	each := func(texts ...*string) {
		for _, t := range texts {
			*t = f(*t)
		}
	}
	for _, rows := range [][]Row{r.Models, r.Projects} {
		for i := range rows {
			each(&rows[i].Name)
		}
	}
	for i := range r.Dearest {
		s := &r.Dearest[i]
		each(&s.ID, &s.Title, &s.Project)
	}
	for i := range r.Days {
		masked := make(map[string]float64, len(r.Days[i].Models))
		for name, dollars := range r.Days[i].Models {
			masked[f(name)] += dollars
		}
		r.Days[i].Models = masked
	}
	for i := range r.Caveats.Gaps {
		each(&r.Caveats.Gaps[i].Name)
	}
	for i := range r.Tools {
		each(&r.Tools[i].Name)
	}
	for i := range r.Read {
		each(&r.Read[i].Path, &r.Read[i].Project)
	}
	for i := range r.Compactions {
		r.Compactions[i].Each(f)
	}
	list(f, r.Caveats.Unpriced)
	if r.Replayed != nil {
		r.Replayed.Each(f)
	}
}

// Each replaces every text of the view that comes from a session by what f makes of it: for masks.
func (v *View) Each(f func(string) string) {
	for i := range v.Rows {
		r := &v.Rows[i]
		for _, t := range []*string{&r.Name, &r.Title, &r.Project} {
			*t = f(*t)
		}
		for j := range r.Models {
			r.Models[j].Name = f(r.Models[j].Name)
		}
	}
}

// Each replaces every text that comes from a session by what f makes of it.
func (r *Replayed) Each(f func(string) string) {
	for i := range r.Rows {
		p := &r.Rows[i]
		for _, t := range []*string{&p.ID, &p.Title, &p.Project, &p.Model} {
			*t = f(*t)
		}
	}
	list(f, r.Unpriced)
}

// Each replaces every text that comes from a session by what f makes of it.
func (l *Loss) Each(f func(string) string) {
	l.Session, l.Project, l.Trigger = f(l.Session), f(l.Project), f(l.Trigger)
	list(f, l.Names)
	list(f, l.Reread.Examples)
	list(f, l.Rerun.Examples)
}

func list(f func(string) string, texts []string) {
	for i, t := range texts {
		texts[i] = f(t)
	}
}
