package carried

import (
	"path/filepath"
	"slices"

	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
)

// The names of what is known of ledger.CategoryFixed.
const (
	categoryMemory = "memory files"
	categoryLists  = "skills, agents and commands"
	categoryTools  = "MCP servers" // that were asked for their tools
)

// within reports whether the requests of a session are known to have carried a part as it is: it was so when the session
// began, which ran here, if the part is not of the user. An agent reads its files then, and what they said before is not
// recorded.
func (r Report) within(p *Part, s ledger.Use) bool {
	return !p.Unknown && (p.Scope == inHome || r.here(s.Session)) &&
		(s.Session.BeganWith(p.Since) || s.Session.BeganWith(p.Asked))
}

// here reports whether a session ran in the directory that the report has for its agent, as far as its host said where. One
// that ran in a directory below carried files of that, too.
func (r Report) here(s sessions.Session) bool {
	if s.Dir == "" || s.Dir == r.ran[s.Host] {
		return true
	}
	real, err := filepath.EvalSymlinks(s.Dir)
	in := within(r.root, r.ran[s.Host])
	return s.Dir == in || err == nil && real == in
}

// RanIn returns Options.Ran of a session; nil: its host did not say where it ran.
func RanIn(s sessions.Session) map[string]string {
	if s.Dir == "" {
		return nil
	}
	return map[string]string{s.Host: s.Dir}
}

// Differing returns the names of the files of instructions whose text a session's requests are not known to have carried.
func (r Report) Differing(s ledger.Use) (names []string) {
	for _, h := range r.Hosts {
		h.Each(func(p *Part) {
			if h.Name == s.Session.Host && (p.Kind == Memory || p.Kind == Rule) && p.Carried.N > 0 && !r.within(p, s) {
				names = append(names, p.Name)
			}
		})
	}
	return names
}

// Besides returns what every request of a session carries besides the conversation (ledger.Use.Fixed), in parts as far as
// files of now are known to be those of then; nothing where it is not known.
func (r Report) Besides(s ledger.Use) []ledger.Category {
	switch {
	case s.Fixed == nil:
		return nil
	case s.Midway:
		return []ledger.Category{{Name: s.FixedName(), Tokens: *s.Fixed}}
	}
	memory, lists, tools := tokens.Count{Exact: true}, tokens.Count{Exact: true}, tokens.Count{Exact: true}
	known, rest := r.here(s.Session), ledger.Category{Name: ledger.CategoryFixed, Tokens: *s.Fixed}
	for _, h := range r.Hosts {
		if h.Name != s.Session.Host {
			continue
		}
		h.Each(func(p *Part) {
			sum := &lists
			switch p.Kind {
			case Memory, Rule:
				sum = &memory
				known = known && (r.within(p, s) || p.Carried.N == 0 && !p.Unknown)
			case Server:
				sum = &tools
			}
			if r.within(p, s) {
				*sum = Plus(*sum, p.Carried)
			}
		})
	}
	if !known {
		memory = tokens.Count{}
	}
	all := Plus(memory, Plus(lists, tools))
	if all.N == 0 || all.N > rest.Tokens.N {
		return []ledger.Category{rest}
	}
	if memory.N > 0 {
		rest.Name = ledger.CategoryPrompt
	}
	rest.Tokens = tokens.Count{N: rest.Tokens.N - all.N, Upper: rest.Tokens.Upper - all.N}
	out := []ledger.Category{rest, {Name: categoryMemory, Tokens: memory}, {Name: categoryLists, Tokens: lists},
		{Name: categoryTools, Tokens: tools}}
	return slices.DeleteFunc(out, func(c ledger.Category) bool { return c.Tokens.N == 0 })
}

// MemoryOf returns what memory files take of Besides; nil: not known.
func (r Report) MemoryOf(s ledger.Use) *tokens.Count {
	for _, c := range r.Besides(s) {
		if c.Name == categoryMemory {
			return &c.Tokens
		}
	}
	return nil
}

// OnDemand returns how many files of instructions the requests of a host do not carry until they are needed.
func (r Report) OnDemand(host string) (n int) {
	for _, h := range r.Hosts {
		if h.Name == host {
			h.Each(func(p *Part) {
				if (p.Kind == Memory || p.Kind == Rule) && p.Carried.N == 0 && p.Later.N > 0 {
					n++
				}
			})
		}
	}
	return n
}

// Explain returns what fills the window of a session's agent (ledger.Use.Own), with Besides in its parts, unless the window
// holds less of it than was measured at first.
func (r Report) Explain(s ledger.Use) (out []ledger.Category) {
	for _, x := range s.Own {
		if x.Name == ledger.CategoryFixed && s.Fixed != nil && x.Tokens.N == s.Fixed.N {
			out = append(out, r.Besides(s)...)
		} else {
			out = append(out, x)
		}
	}
	return out
}

// Charged returns the report with what each part of a session's host has cost so far in it: an estimate, for those that its
// requests are known to have carried. Where these together are more than was measured, or are counted for another model than
// the session's, nothing is known.
func (r Report) Charged(s ledger.Use) Report {
	if s.CarriedDollars == nil || s.Fixed == nil || !tokens.SameModel(s.Model, s.Session.Model) || !r.here(s.Session) {
		return r
	}
	out := r
	out.Hosts = slices.Clone(r.Hosts)
	for i := range out.Hosts {
		h := &out.Hosts[i]
		if h.Name != s.Session.Host {
			continue
		}
		sum := tokens.Count{Exact: true}
		h.Each(func(p *Part) {
			if r.within(p, s) {
				sum = Plus(sum, p.Carried)
			}
		})
		if 0 < sum.N && sum.N <= s.Fixed.N {
			h.Charged, h.Dollars = sum, costs(sum, *s.CarriedDollars)
			h.PaidBy, h.Parts = s.Carriers(), r.charged(h.Parts, s)
		}
	}
	return out
}

// charged returns a copy of parts with their costs.
func (r Report) charged(parts []Part, s ledger.Use) []Part {
	parts = slices.Clone(parts)
	for i := range parts {
		p := &parts[i]
		if p.Imports = r.charged(p.Imports, s); r.within(p, s) {
			p.Dollars, p.PaidBy = costs(p.Carried, *s.CarriedDollars), s.Carriers()
		}
	}
	return parts
}

// costs returns what tokens cost at dollars for a million; nil for nothing.
func costs(n tokens.Count, dollars float64) *float64 {
	if n.N == 0 {
		return nil
	}
	sum := float64(n.N) * dollars / 1e6
	return &sum
}
