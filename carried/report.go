package carried

import (
	"time"

	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
)

// A Kind is what a part is to an agent.
type Kind string

// The kinds of parts.
const (
	Memory  Kind = "memory"  // instructions: CLAUDE.md, AGENTS.md and similar files, and what they import
	Rule    Kind = "rule"    // a file of a directory of rules
	Skill   Kind = "skill"   // SKILL.md: its name and description are listed, its body is loaded when it is used
	Agent   Kind = "agent"   // a subagent: listed like a skill
	Command Kind = "command" // a command: listed like a skill
	Server  Kind = "server"  // an MCP server
	Hook    Kind = "hook"    // hooks of a plugin, whose outputs requests may carry
	Plugin  Kind = "plugin"  // a plugin that is enabled and cannot be read
	Index   Kind = "index"   // what a hook of ctxledger lists when a session begins, by the configuration that is named
)

// A Part is one thing that requests carry, or could.
type Part struct {
	Kind  Kind   `json:"kind"`
	Name  string `json:"name"`            // what people call it: the path from the workspace, or the name of a skill
	Scope string `json:"scope,omitempty"` // "user", "project", "plugin", or the directory that it is for
	Path  string `json:"path"`            // of its file, absolute
	// Carried is what each request carries of it. Unknown says that nobody knows before a request is made.
	Carried tokens.Count `json:"carried"`
	Unknown bool         `json:"unknown,omitempty"`
	// Later is what is loaded when When happens; zero for what is always loaded.
	Later tokens.Count `json:"later"`
	When  string       `json:"when,omitempty"`
	// Heaviest is the heading of the longest section, and Share its part of what the text costs in a request.
	Heaviest string    `json:"heaviest,omitempty"`
	Share    float64   `json:"share,omitempty"`
	Imports  []Part    `json:"imports,omitempty"`
	Problems []Problem `json:"problems,omitempty"`
	// Use is how often recorded sessions used a server or a skill; nil: not known, see Report.Count.
	Use *Use `json:"use,omitempty"`
	// Dollars is what Carried has cost so far in a session, about; nil: not known, see Report.Charged.
	// PaidBy says by how many requests, in words.
	Dollars *float64 `json:"cost_usd,omitempty"`
	PaidBy  string   `json:"paid_by,omitempty"`
	// Tools are those of a server that a person had asked, at Asked; see Report.Count. Our own one is known without them.
	Tools []Tool    `json:"tools,omitempty"`
	Asked time.Time `json:"asked,omitzero"`
	// Config is how a server is started or reached. It may hold secrets.
	Config   *ServerConfig `json:"-"`
	agent    Loading       // whose part it is
	searched bool          // see Searched
	entry    []string      // of a server: the names of members or tables that lead to it in its file
	// Since is when its file, or one that imports it, was changed, moved or replaced last; zero: not known.
	Since time.Time `json:"-"`
	// At is where the part is named: an import in the file that imports it, a server in its configuration.
	At Span `json:"at"`
}

// A Tool is one tool of a server, with what its definition costs.
type Tool struct {
	Name   string       `json:"name"`
	Tokens tokens.Count `json:"tokens"`
}

// add adds a problem.
func (p *Part) add(code, message string, at Span) {
	p.Problems = append(p.Problems, Problem{code, message, at})
}

// A Span is a range of bytes in a file.
type Span struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// A Problem is something about a file that costs or that does not work.
type Problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	At      Span   `json:"at"`
}

// The codes of problems.
const (
	MissingImport  = "missing-import"  // it imports a file that is not there
	CircularImport = "circular-import" // a file imports itself, through others or not
	DeepImport     = "deep-import"     // the agent does not follow so many imports
	OutsideImport  = "outside-import"  // it lies outside of what is read here
	Duplicate      = "duplicate"       // a passage is also in another file that is always loaded
	FrontMatter    = "front-matter"    // it cannot be read, or lacks what the agent needs
	SkillAlwaysOn  = "skill-always-on" // a skill's body has a rule that is meant to hold always
	CutOff         = "cut-off"         // the agent loads only the beginning of it
	Unreadable     = "unreadable"      // it is too large, no text, or not to be read
	Shadowed       = "shadowed"        // another one of the same name is used instead
	UnusedServer   = "unused-server"   // no recent session called a tool of it
)

// A Host is an agent with what its requests carry.
type Host struct {
	Name    string       `json:"name"`  // "claude-code"
	Title   string       `json:"title"` // "Claude Code"
	Parts   []Part       `json:"parts"`
	Carried tokens.Count `json:"carried"` // of all parts whose cost is known
	Unknown int          `json:"unknown"` // how many parts add an unknown cost
	// Model is the one that its parts are counted for, that of the agent's newest session, and Window what that has, in tokens;
	// "" and 0: not known.
	Model  string       `json:"model,omitempty"`
	Window int          `json:"window,omitempty"`
	Meter  ledger.Meter `json:"-"` // these, with how that counts
	// Dollars is what Charged of Carried has cost so far in a session, about; nil: not known. PaidBy says by how many requests,
	// in words.
	Dollars *float64     `json:"cost_usd,omitempty"`
	PaidBy  string       `json:"paid_by,omitempty"`
	Charged tokens.Count `json:"-"`
}

// A Report is what the requests of the agents of a workspace carry, agents with the most first.
type Report struct {
	Hosts []Host `json:"hosts"`
	// Edited is the report with the texts of open documents in the place of their files, whose spans are those of the
	// documents. nil: none differs from its file.
	Edited *Report `json:"-"`

	root    string            // of the workspace
	ran     map[string]string // see Options.Ran
	stamps  Stamps
	unsaved map[string]string // texts of open documents that differ from their files, by path
}

// Unsaved returns the texts of the open documents that it has in the place of their files, by path.
func (r Report) Unsaved() map[string]string {
	if r.Edited != nil {
		return r.Edited.unsaved
	}
	return r.unsaved
}

// Each calls fn for every part of a host and what it imports, in their order.
func (h Host) Each(fn func(p *Part)) {
	var each func(parts []Part)
	each = func(parts []Part) {
		for i := range parts {
			fn(&parts[i])
			each(parts[i].Imports)
		}
	}
	each(h.Parts)
}

// Plus adds two counts.
func Plus(a, b tokens.Count) tokens.Count {
	return tokens.Count{N: a.N + b.N, Exact: a.Exact && b.Exact, Upper: a.Upper + b.Upper}
}
