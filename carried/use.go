package carried

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
)

// A Use is how often recorded sessions used a server or a skill.
type Use struct {
	Sessions int       `json:"sessions"` // the newest ones of the agent, in which calls were counted; 0: it is newer
	Calls    int       `json:"calls"`    // in all of them together
	Last     time.Time `json:"last,omitzero"`
}

// enough is how many sessions have to be recorded for a server without calls to be called unused.
const enough = 5

// Count adds to each server and skill how often recorded sessions used it. Where none of an agent is recorded, that
// stays unknown. A server without any call is a problem. Servers that a person had asked for their tools get these, with
// what they cost.
func (r *Report) Count(recorded ledger.ToolUse, root string) {
	if r.Edited != nil {
		r.Edited.Count(recorded, root)
	}
	defer r.addAsked(recorded.Servers)
	for i := range r.Hosts {
		h := &r.Hosts[i]
		at := slices.IndexFunc(recorded.Hosts, func(u ledger.HostToolUse) bool { return u.Host == h.Name })
		if at < 0 || recorded.Hosts[at].Sessions == 0 {
			continue
		}
		u := recorded.Hosts[at]
		servers := h.calls(u)
		for j := range h.Parts {
			switch p := &h.Parts[j]; p.Kind {
			case Server:
				if p.Use = servers[p.Name]; p.Scope == inProject && p.Use.Calls == 0 && p.Since.After(u.Newest) {
					p.Use = &Use{}
				}
				if p.Use.Calls == 0 && p.Use.Sessions >= enough && p.Unknown {
					p.add(UnusedServer, fmt.Sprintf("none of its tools was called in the last %s of %s that are recorded, since %s",
						chars.Plural(u.Sessions, "session"), h.Title, u.Since.Format(time.DateOnly)), p.At)
				}
			case Skill:
				p.Use = used(p, u, root)
			}
		}
	}
}

// Counts reports whether there is anything to count: a server or a skill.
func (r Report) Counts() bool {
	return slices.ContainsFunc(r.Hosts, func(h Host) bool {
		return slices.ContainsFunc(h.Parts, func(p Part) bool { return p.Kind == Server || p.Kind == Skill })
	})
}

// calls returns the calls of each of a host's servers, by its name. Where the name of a tool fits several servers it is
// one of the longest name.
func (h *Host) calls(u ledger.HostToolUse) map[string]*Use {
	prefixes, out := map[string]string{}, map[string]*Use{}
	for _, p := range h.Parts {
		if p.Kind == Server {
			prefixes[p.toolPrefix()] = p.Name
			out[p.Name] = &Use{Sessions: u.Sessions}
		}
	}
	for _, c := range u.Tools {
		longest := ""
		for prefix := range prefixes {
			if len(prefix) > len(longest) && strings.HasPrefix(c.Name, prefix) {
				longest = prefix
			}
		}
		if longest != "" {
			out[prefixes[longest]].add(c)
		}
	}
	return out
}

// add adds calls of another name.
func (u *Use) add(c ledger.Called) {
	u.Calls += c.Calls
	if c.Last.After(u.Last) {
		u.Last = c.Last
	}
}

// toolPrefix is how the names begin that its agent gives to the tools of a server.
func (p *Part) toolPrefix() string {
	name := strings.Map(func(r rune) rune {
		if r < 0x80 && (r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z') {
			return r
		}
		return '_'
	}, p.Name)
	return fmt.Sprintf(cmp.Or(p.agent.tools, "mcp__%s__"), name)
}

// used returns how often a skill was used: by its name, or by reading its file.
func used(p *Part, u ledger.HostToolUse, root string) *Use {
	out := &Use{Sessions: u.Sessions}
	for _, c := range u.Skills {
		path := filepath.FromSlash(c.Name)
		if c.Name == p.Name || path == p.Path || filepath.Join(root, path) == p.Path {
			out.add(c)
		}
	}
	return out
}

// Used says how often a server or a skill was used; "" for other parts.
func (p Part) Used() string {
	switch {
	case p.Kind != Server && p.Kind != Skill:
		return ""
	case p.Use == nil:
		return "calls unknown"
	}
	if p.Use.Sessions == 0 {
		return "no session since its configuration changed"
	}
	in := " in the last session"
	if p.Use.Sessions > 1 {
		in = " in the last " + chars.Plural(p.Use.Sessions, "session") // together: some may have none
	}
	if p.Use.Calls == 0 {
		return "not used" + in
	}
	return chars.Plural(p.Use.Calls, "call") + in + ", most recent " + p.Use.Last.Format(time.DateOnly)
}
