// Package config reads settings: ctxledger.yaml in a workspace, and the user's own file, which overrides it.
//
// Start at Load. Keys are written in snake_case and matched without regard to case and
// underscores, so that PascalCase configurations load unchanged.
//
// Guarantees: a workspace without the file has the defaults; an unknown key is a warning
// with its line; a file with a value of the wrong type is not used, never guessed at; a link that
// leads out of the workspace is not followed. Only settings from the user's own file are marked as such (Source.User),
// never those from a workspace.
//
// The package deliberately holds only settings that something uses, and decides nothing: engine
// and the commands map settings to what they do, and package trust says what a workspace may have run.
package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/yamldoc"
	"ctxledger.dev/tokens"
	"ctxledger.dev/window"
)

// File is the name of the configuration in a workspace's root.
const File = "ctxledger.yaml"

// Config is what a user has set.
type Config struct {
	// Follow says whether the daemon follows the session files of coding agents, read-only, as
	// they are written. Key: follow. Default: true.
	Follow bool
	// FollowFrom says where Follow was set, and FollowOver the setting of the workspace that the user's own replaced.
	FollowFrom, FollowOver Source
	// Exports says whether the daemon keeps changes.json and intents.json of the active session up to
	// date in the state directory, for other programs to read. Key: exports. Default: true.
	Exports bool
	// LedgerWarnMB is the size of a ledger on disk, in millions of bytes, above which status and du
	// warn; 0: never. Key: ledger_warn_mb. Default: 2048.
	LedgerWarnMB int
	// Models is what is known of models: the built-in ones, and besides them those of the key models.
	// See docs/configuration.md. Default: the built-in ones.
	Models *tokens.Registry
	// Policy says how much of a conversation a model is to see: the keys of context. Default: nil, for window.Default.
	Policy *window.Policy
	// Agents are the policies of single agents, by their names in lower case: the key agents. What one leaves
	// out is that of context. Default: none.
	Agents map[string]window.Policy
	// Corrections are how messages of an orchestrator begin that correct an agent: such stay in every view.
	// Key: corrections. Default: nil, for those that are known (transcript.Corrections).
	Corrections []string
	// Summarizer is the model that writes summaries in the modes that want one. Key: summarizer. Default:
	// none.
	Summarizer *Summarizer
	// SummarizerFrom says where Summarizer was set, and SummarizerOver that of the workspace, which the user's own
	// replaced as a whole.
	SummarizerFrom, SummarizerOver Source
}

// Ceiling returns LedgerWarnMB in bytes, 0 for no warning.
func (c Config) Ceiling() int64 { return max(0, int64(c.LedgerWarnMB)) * 1e6 }

// Default returns the settings of a workspace without a configuration.
func Default() Config {
	return Config{Follow: true, Exports: true, LedgerWarnMB: 2048, Models: tokens.Builtin()}
}

// Load reads the settings of a workspace: those of its file, and over them those of the user's own, setting by
// setting. root "" has no file; state is the directory of the ledger, where the last valid version of each file is
// kept, "" for none.
//
// A file that cannot be used leaves its last valid version in force, without its summarizer, or else the defaults;
// the problem says so. There are settings always.
func Load(e env.Env, root, state string) (Config, []Problem) {
	var docs []document
	var problems []Problem
	broken := false
	for _, read := range []func() (document, error){
		func() (document, error) { return readWorkspace(root) },
		func() (document, error) { return readUser(e, root) },
	} {
		d, err := read()
		path := copyOf(state, d, root)
		if err == nil {
			d, err = d.valid()
		}
		if err == nil {
			d.keep(path)
			docs = append(docs, d)
			continue
		}
		broken = broken || d.user
		problem := unusable(d.name, err)
		problem.Instead = "the defaults are in force instead"
		if last, ok := d.kept(path); ok {
			problem.Instead = "its last valid version is in force instead"
			if docs = append(docs, last.without("summarizer")); last.has("summarizer") {
				problem.Instead += ", without its summarizer"
			}
		}
		problems = append(problems, problem)
	}
	c, unknown, err := merge(docs)
	if err != nil { // each alone made sense
		return Default(), append(problems, Problem{File: File, Message: err.Error(),
			Instead: "the defaults are in force instead"})
	}
	if broken { // what the user wants is not known
		c.Summarizer, c.SummarizerFrom = nil, Source{}
	}
	return c, append(problems, unknown...)
}

// valid returns the document with its fields, if it makes sense by itself.
func (d document) valid() (document, error) {
	d, err := d.parsed()
	if err == nil {
		_, _, err = merge([]document{d})
	}
	return d, err
}

// parsed returns the document with its fields.
func (d document) parsed() (document, error) {
	fields, err := yamldoc.Fields(d.data)
	d.fields = fields
	return d, err
}

// has reports whether a document sets a key, by its folded form.
func (d document) has(key string) bool {
	return slices.ContainsFunc(d.fields, func(f yamldoc.Field) bool { return fold(f.Key) == key })
}

// without returns the document without a key.
func (d document) without(key string) document {
	d.fields = slices.DeleteFunc(slices.Clone(d.fields), func(f yamldoc.Field) bool { return fold(f.Key) == key })
	return d
}

// merge returns the settings of documents, the later ones over the earlier. Errors: invalid, with the line.
func merge(docs []document) (Config, []Problem, error) {
	c := Default()
	parsers := make([]*parser, len(docs))
	for i, d := range docs {
		parsers[i] = &parser{document: d}
		if err := parsers[i].settings(&c); err != nil {
			return Default(), nil, err
		}
	}
	if err := policies(&c, parsers); err != nil {
		return Default(), nil, err
	}
	var problems []Problem
	for _, p := range parsers {
		slices.SortStableFunc(p.problems, func(a, b Problem) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Key, b.Key))
		})
		problems = append(problems, few(slices.Compact(p.problems))...) // policies are read once for each agent
	}
	return c, problems, nil
}

// maxProblems is how many settings of a document that cannot be used are named.
const maxProblems = 20

// few returns the first problems of a document, and how many more there are.
func few(problems []Problem) []Problem {
	n := len(problems) - maxProblems
	if n <= 0 {
		return problems
	}
	return append(problems[:maxProblems:maxProblems], Problem{File: problems[0].File, Message: "and " +
		chars.Plural(n, "more unknown setting")})
}

// parser reads one document.
type parser struct {
	document
	problems []Problem

	context, agents yamldoc.Field // read when all documents are there
}

// settings takes the document's settings into c.
func (p *parser) settings(c *Config) error {
	var follow, models, summarizer yamldoc.Field
	err := p.take(p.fields, map[string]any{
		"follow": &follow, "exports": &c.Exports, "ledgerwarnmb": &c.LedgerWarnMB,
		"models": &models, "context": &p.context, "agents": &p.agents, "corrections": &c.Corrections,
		"summarizer": &summarizer,
	})
	if err == nil && follow.Key != "" {
		var said *bool
		if err = follow.Decode(&said); said != nil {
			c.Follow, c.FollowFrom, c.FollowOver = *said, p.source(follow), c.FollowFrom
		}
	}
	if err == nil && models.Key != "" {
		c.Models, err = p.models(c.Models, models)
	}
	if err == nil && summarizer.Key != "" {
		c.Summarizer, err = p.summarizer(summarizer)
		c.SummarizerFrom, c.SummarizerOver = p.source(summarizer), c.SummarizerFrom
	}
	return err
}

// each is take for the fields of a mapping.
func (p *parser) each(mapping yamldoc.Field, settings map[string]any) error {
	fields, err := mapping.Fields()
	if err != nil {
		return err
	}
	return p.take(fields, settings)
}

// take puts the values of fields into settings: where they go by their keys, folded. A setting of type
// *yamldoc.Field gets the field itself. A key that is not among them is a problem.
func (p *parser) take(fields []yamldoc.Field, settings map[string]any) error {
	lines := make(map[string]int)
	for _, f := range fields {
		key := fold(f.Key)
		into, known := settings[key]
		if !known {
			p.problems = append(p.problems, Problem{File: p.name, Line: f.Line, Key: f.Key,
				Message: fmt.Sprintf("unknown setting %.200q", f.Key)})
			continue
		}
		if line, again := lines[key]; again {
			return fault.New(fault.Invalid, "config.load", "line %d: %s was set in line %d already", f.Line, f.Key,
				line)
		}
		lines[key] = f.Line
		if whole, ok := into.(*yamldoc.Field); ok {
			*whole = f
		} else if err := f.Decode(into); err != nil {
			return err
		}
	}
	return nil
}

// fold returns a key in the form in which keys are matched.
func fold(key string) string { return strings.ToLower(strings.ReplaceAll(key, "_", "")) }
