// Package spec says what an agent is given: from which sources, how much of each, and under which heading.
//
// Start at Parse, which reads a source as a configuration writes it, and at Spec, which has those of all agents. An agent
// is a name: the configuration's, or one by which a host knows it.
//
// The package deliberately reads nothing: package given assembles the texts.
package spec

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"ctxledger.dev/internal/agentname"
	"ctxledger.dev/internal/fault"
)

// Kind is where a text comes from, by the name in a configuration.
type Kind string

// The kinds of sources.
const (
	SessionContext   Kind = "session_context"   // what an agent wrote for the next one
	ChangesRecent    Kind = "changes_recent"    // what agents changed and ran, by turn
	BriefField       Kind = "brief_field"       // a field of brief.json
	File             Kind = "file"              // a file of the workspace
	OwnHistory       Kind = "own_history"       // what the agent itself said
	ExecutionState   Kind = "execution_state"   // builds, failures and failed attempts, as recorded
	InvestigationLog Kind = "investigation_log" // hypotheses, and what was tried
)

// labels are the headings of sources without one of their own.
var labels = map[Kind]string{SessionContext: "Session Context", ChangesRecent: "Recent Changes", OwnHistory: "",
	ExecutionState: "Execution State", InvestigationLog: "Investigation Log", BriefField: "Task: ", File: ""}

// Bounds of what a source gives.
const (
	MaxChars     = 4_000  // characters of a source that says no other number
	HistoryChars = 8_000  // of own_history
	HistoryTurns = 6      // turns of own_history that says no other number
	MostChars    = 64_000 // that a configuration can ask for
	MaxSources   = 20     // of an agent
)

// Source is one text that an agent is given.
type Source struct {
	Kind     Kind
	Param    string // the field of a brief, or the path of a file
	N        int    // how many turns or entries; 0: all, or HistoryTurns
	MaxChars int    // 0: the usual ones, see Limit
	Label    string // "": the usual one, see Heading
}

// Elsewhere reports whether a source is one of fuseraft's that ctxledger lacks.
func Elsewhere(text string) bool {
	kind, _, _ := strings.Cut(text, ":")
	return slices.Contains([]string{"adr_graph", "active_objectives", "broker"}, fold(kind))
}

func fold(kind string) string { return strings.ToLower(strings.TrimSpace(kind)) }

// Parse reads a source: "changes_recent:3". Errors: invalid for an unknown kind, a missing or wrong parameter, and a path that
// leads out of the workspace.
func Parse(text string) (Source, error) {
	const op = "spec.parse"
	kind, param, given := strings.Cut(text, ":")
	s := Source{Kind: Kind(fold(kind)), Param: strings.TrimSpace(param)}
	if _, known := labels[s.Kind]; !known {
		return s, fault.New(fault.Invalid, op, "unknown source %.100q", text).
			WithHint("the sources are %s", strings.Join(names(), ", "))
	}
	switch s.Kind {
	case ChangesRecent, OwnHistory:
		n, err := strconv.Atoi(s.Param)
		if given && (err != nil || n < 1) {
			return s, fault.New(fault.Invalid, op, "source %.100q needs a number of 1 or more after the colon", text)
		}
		s.Param, s.N = "", n
	case BriefField:
		if s.Param == "" {
			return s, fault.New(fault.Invalid, op, "source brief_field needs the name of a field: brief_field:goal")
		}
	case File:
		s.Param = path.Clean(strings.ReplaceAll(s.Param, `\`, "/"))
		if !local(s.Param) {
			return s, fault.New(fault.Invalid, op, "source %.200q does not name a file in the workspace", text).
				WithHint("give a relative path: file:docs/plan.md")
		}
	default:
		s.Param = ""
	}
	return s, nil
}

// local reports whether a clean path with slashes stays below a directory, on every system.
func local(p string) bool {
	return p == strings.TrimSpace(p) && p != "." && p != ".." && !strings.HasPrefix(p, "../") && !path.IsAbs(p) &&
		!strings.Contains(p, ":")
}

func names() (out []string) {
	for k := range labels {
		out = append(out, string(k))
	}
	slices.Sort(out)
	return out
}

// String returns the source as a configuration writes it.
func (s Source) String() string {
	switch {
	case s.Param != "":
		return string(s.Kind) + ":" + s.Param
	case s.N > 0:
		return string(s.Kind) + ":" + strconv.Itoa(s.N)
	}
	return string(s.Kind)
}

// Heading returns the heading of the source's text.
func (s Source) Heading() string {
	if s.Label != "" {
		return s.Label
	}
	switch s.Kind {
	case BriefField:
		return labels[s.Kind] + s.Param
	case File:
		return path.Base(s.Param)
	}
	return labels[s.Kind]
}

// Limit returns how many characters the source gives at most.
func (s Source) Limit() int {
	if s.Kind == OwnHistory {
		return cmp.Or(s.MaxChars, HistoryChars)
	}
	return cmp.Or(s.MaxChars, MaxChars)
}

// Agent is what one agent is given.
type Agent struct {
	Name    string   // as the configuration writes it
	KnownAs []string // what hosts call it
	Context []Source // nil: nothing is declared
	// SkipState leaves out what agents of a state machine are given in front: see Spec.Sources.
	SkipState bool
}

// Handoff is what an agent is given when another one hands its work to it.
type Handoff struct {
	From, To string
	Sources  []Source
}

// Spec is what all agents are given. The zero value declares nothing.
type Spec struct {
	Agents   []Agent
	Handoffs []Handoff
	States   []string // the names of agents that a state machine runs
}

// Find returns the agent that has a name, or that a host calls so; ok is false if none does.
func (s Spec) Find(name string) (a Agent, ok bool) {
	i := slices.IndexFunc(s.Agents, func(a Agent) bool { return agentname.Same(a.Name, name) })
	if i < 0 {
		i = slices.IndexFunc(s.Agents, func(a Agent) bool {
			return slices.ContainsFunc(a.KnownAs, func(known string) bool { return agentname.Same(known, name) })
		})
	}
	if i < 0 {
		return Agent{}, false
	}
	return s.Agents[i], true
}

// Same reports whether two names are of one agent.
func (s Spec) Same(a, b string) bool {
	of := func(name string) string {
		if known, ok := s.Find(name); ok {
			name = known.Name
		}
		return agentname.Key(name)
	}
	return of(a) == of(b)
}

// Sources returns what is declared for an agent. An agent of a state machine gets the recorded state and the log of
// investigations in front, unless it has them anyway.
func (s Spec) Sources(a Agent) []Source {
	out := a.Context
	runs := func(state string) bool { return s.Same(state, a.Name) }
	if len(out) == 0 || a.SkipState || !slices.ContainsFunc(s.States, runs) {
		return out
	}
	for _, kind := range []Kind{InvestigationLog, ExecutionState} {
		if !slices.ContainsFunc(a.Context, func(o Source) bool { return o.Kind == kind }) {
			out = append([]Source{{Kind: kind}}, out...)
		}
	}
	return out
}

// Concerns reports whether anything is declared for an agent when it starts.
func (s Spec) Concerns(name string) bool {
	if name == "" {
		return false
	}
	a, _ := s.Find(name)
	return len(a.Context) > 0 || s.Receives(name)
}

// Receives reports whether a handoff to an agent is declared.
func (s Spec) Receives(name string) bool {
	return slices.ContainsFunc(s.Handoffs, func(h Handoff) bool { return s.Same(h.To, name) })
}

// Handoff returns what is declared for work that goes from one agent to another; ok is false if nothing is.
func (s Spec) Handoff(from, to string) (sources []Source, ok bool) {
	for _, h := range s.Handoffs {
		if s.Same(h.From, from) && s.Same(h.To, to) {
			return h.Sources, true
		}
	}
	return nil, false
}
