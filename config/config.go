// Package config reads settings: ctxledger.yaml in a workspace, and the user's own file, which overrides it.
//
// Start at Load, and at Rules for what can be set. Keys are written in snake_case and matched without regard to case and
// underscores, so that PascalCase configurations load unchanged.
//
// Guarantees: a workspace without the file has the defaults; an unknown key is a warning
// with its place; a file with a value of the wrong type is not used, never guessed at, and all its mistakes are named;
// a link that leads out of the workspace is not followed. Only settings from the user's own file are marked as such (Source.User),
// never those from a workspace.
//
// The package deliberately holds only settings that something uses, and decides nothing: engine
// and the commands map settings to what they do, and package trust says what a workspace may have run.
package config

import (
	"cmp"
	"maps"
	"slices"

	"ctxledger.dev/given/spec"
	"ctxledger.dev/graph"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/env"
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
	// Reduce says whether a proxy makes requests smaller without being told to. A workspace's file can only switch it off.
	// Key: reduce. Default: false.
	Reduce bool
	// LedgerWarnMB is the size of a ledger on disk, in millions of bytes, above which status and du
	// warn; 0: never. Key: ledger_warn_mb. Default: 2048.
	LedgerWarnMB int
	// Models is what is known of models: the built-in ones, and besides them those of the key models.
	// See docs/configuration.md. Default: the built-in ones.
	Models *tokens.Registry
	// Policy says how much of a conversation a model is to see: the keys of context. Default: nil, for window.Default.
	Policy *window.Policy
	// Agents are the policies of single agents, by agentname.Key: the key agents. What one leaves
	// out is that of context. Default: none.
	Agents map[string]window.Policy
	// Given says what single agents are given when they start. Keys: agents[].context, known_as, and of fuseraft's
	// selection the handoff_context. Default: nothing.
	Given spec.Spec
	// Corrections are how messages of an orchestrator begin that correct an agent: such stay in every view.
	// Key: corrections. Default: nil, for those that are known (transcript.Corrections).
	Corrections []string
	// Hooks say what the hooks of coding agents do: the keys of hooks. A workspace's file can only switch off.
	Hooks Hooks
	// Index names what is listed to an agent whose session begins, to be read when it is needed. Key: index. Default:
	// nothing.
	Index Index
	// Graph says how context graphs are read and checked: the keys of graph. Default: by our rules, with each finding's
	// own severity.
	Graph *graph.Settings
	// Limits are what requests may use: the keys of limits. Default: none.
	Limits Limits
	// Summarizer is the model that writes summaries in the modes that want one. Key: summarizer. Default:
	// none.
	Summarizer *Summarizer
	// SummarizerFrom says where Summarizer was set, and SummarizerOver that of the workspace, which the user's own
	// replaced as a whole.
	SummarizerFrom, SummarizerOver Source

	shown shown // for Effective
}

// Index names what can be read: paths with slashes, below the workspace. Skills may also be ~/.agents/skills and
// ~/.fuseraft/skills. Other paths are ignored.
type Index struct {
	Skills     []string // directories that have a directory with a SKILL.md for each skill
	References []string // files, and directories of files
	Memories   []string // directories that have a MEMORY.md
}

// shown is what people are shown of where settings come from.
type shown struct {
	policy  window.Policy       // Policy, or the default
	origins map[string]Source   // where settings were set, by their paths
	entries map[string][]string // what is set for single models and agents: "agents.tester"
}

// Ceiling returns LedgerWarnMB in bytes, 0 for no warning.
func (c Config) Ceiling() int64 { return max(0, int64(c.LedgerWarnMB)) * 1e6 }

// Default returns the settings of a workspace without a configuration.
func Default() Config {
	return Config{Follow: true, Exports: true, LedgerWarnMB: 2048, Models: tokens.Builtin(),
		Graph: &graph.Settings{}, Hooks: DefaultHooks(), shown: newShown()}
}

// FollowOff says which setting keeps session files from being followed; "" if none does.
func (c Config) FollowOff() string {
	if c.Follow {
		return ""
	}
	return c.FollowFrom.String() + " says follow: false"
}

func newShown() shown {
	return shown{window.Default(), map[string]Source{}, map[string][]string{}}
}

// Load reads the settings of a workspace: those of its file, and over them those of the user's own, setting by
// setting. root "" has no file; state is the directory of the ledger, where the last valid version of each file is
// kept, "" for none.
//
// A file that cannot be used leaves its last valid version in effect, without its summarizer, or else the defaults;
// the problem says so. There are settings always.
func Load(e env.Env, root, state string) (Config, []Problem) {
	return resolve(readAll(e, root), root, state)
}

// LoadOwn reads the user's own settings, without those of the workspace: what is written into the user's own files goes by
// them. It refuses an own file inside the workspace as Load does, and keeps no copies.
func LoadOwn(e env.Env, root string) (Config, []Problem) {
	return resolve(readAll(e, root)[1:], root, "")
}

// sourceFile is a file as it was read; err says why it could not be.
type sourceFile struct {
	document
	err error
}

// readAll reads the files that hold for a workspace, the later ones over the earlier.
func readAll(e env.Env, root string) []sourceFile {
	workspace, err := readWorkspace(root)
	user, wrong := readUser(e, root)
	workspace.own = user.name
	files := []sourceFile{{workspace, err}, {user, wrong}}
	if table, err := readPrices(e, root, ""); table.data != nil || err != nil && user.name != "" {
		files = append(files, sourceFile{table, err})
	}
	return files
}

// resolve returns the settings of files: see Load.
func resolve(files []sourceFile, root, state string) (Config, []Problem) {
	var docs []document
	var problems []Problem
	broken := false
	models := tokens.Builtin()
	for _, f := range files {
		path := copyOf(state, f.document, root)
		found := f.problems()
		if f.table {
			if len(found) > 0 {
				found[0].Instead = "the built-in prices are in effect instead"
			} else {
				all, _ := tokens.ParseTables(string(f.data)) // nothing was found in it
				models = inForce(all)
			}
			problems = append(problems, found...)
			continue
		}
		if failed(found) == nil {
			f.keep(path)
			docs, problems = append(docs, f.document), append(problems, few(found, maxProblems)...)
			continue
		}
		broken = broken || f.user
		instead := "the defaults are in effect instead"
		if last, ok := f.kept(path); ok {
			instead = "its last valid version is in effect instead"
			if docs = append(docs, last.without("summarizer")); last.has("summarizer") {
				instead += ", without its summarizer"
			}
		}
		first := slices.IndexFunc(found, func(p Problem) bool { return p.Severity == Error })
		found[first].Instead = instead
		problems = append(problems, few(found, maxProblems)...)
	}
	c, _ := merge(models, docs) // what is wrong with each was found above, and together they make sense
	if broken {                 // what the user wants is not known
		c.Summarizer, c.SummarizerFrom = nil, Source{}
	}
	return c, problems
}

// problems reads the fields of a file and returns what is wrong with it.
func (f *sourceFile) problems() []Problem {
	err := f.err
	if err == nil && f.table {
		_, err = tokens.ParseTables(string(f.data))
	}
	if err != nil {
		return []Problem{f.unusable(err)}
	}
	if f.table {
		return nil
	}
	return f.check()
}

// check reads the document's fields and returns what is wrong with it by itself, in the order of the file.
func (d *document) check() []Problem {
	if err := d.parse(); err != nil {
		return []Problem{d.unusable(err)}
	}
	_, problems := merge(tokens.Builtin(), []document{*d})
	return problems
}

// parse reads the document's fields. Those in the section that fuseraft's files have around all others come first.
func (d *document) parse() error {
	fields, err := yamldoc.Fields(d.data)
	if err != nil {
		return err
	}
	d.fields = nil
	for _, f := range fields {
		if !IsWrapper(f.Key) {
			d.fields = append(d.fields, f)
			continue
		}
		inner, err := f.Fields()
		if err != nil {
			return err
		}
		d.fields = append(inner, d.fields...)
	}
	return nil
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

// merge returns the settings of documents, the later ones over the earlier, and what is wrong with them. models are those
// that are known without them.
func merge(models *tokens.Registry, docs []document) (Config, []Problem) {
	c := Default()
	c.Models = models
	parsers := make([]*parser, len(docs))
	for i, d := range docs {
		parsers[i] = &parser{document: d, set: map[string]yamldoc.Field{}, ignored: map[*Rule]yamldoc.Field{},
			names: map[string]bool{}, shown: newShown()}
		parsers[i].settings(&c)
	}
	policies(&c, parsers)
	for _, p := range parsers {
		p.writes(&c)
	}
	for _, p := range parsers {
		maps.Copy(c.shown.origins, p.shown.origins)
		maps.Copy(c.shown.entries, p.shown.entries)
	}
	var problems []Problem
	for _, p := range parsers {
		slices.SortStableFunc(p.problems, inOrder)
		problems = append(problems, slices.Compact(p.problems)...) // policies are read once for each agent
	}
	return c, problems
}

// How many problems of a document are named: of one that is used, and of one that is checked.
const maxProblems, maxChecked = 20, 100

// few returns problems of a document in the order of the file, and how many more there are: of many the errors, and then the
// warnings, go first.
func few(problems []Problem, most int) []Problem {
	n := len(problems) - most
	if n <= 0 {
		return problems
	}
	slices.SortStableFunc(problems, func(a, b Problem) int { return cmp.Compare(a.Severity, b.Severity) })
	problems = problems[:most:most]
	slices.SortFunc(problems, inOrder)
	return append(problems, Problem{File: problems[0].File, Severity: Warning,
		Message: "and " + chars.Plural(n, "more problem")})
}

// inOrder compares two problems by where they are.
func inOrder(a, b Problem) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Message, b.Message))
}

// settings takes the document's settings into c, but for the policies, which are read when all documents are there, and the
// summarizer, of which they say something.
func (p *parser) settings(c *Config) {
	p.nothing()
	before := Config{Hooks: c.Hooks, Reduce: c.Reduce}
	p.take(p.fields, topRules(), "", &target{config: c, parts: &p.parts})
	if !p.user {
		p.onlyOff(c, before)
	}
	p.originate("")
	if f := p.parts.follow; f.Key != "" {
		var said *bool
		if p.decode(f, &said); said != nil {
			c.Follow, c.FollowFrom, c.FollowOver = *said, p.source(f), c.FollowFrom
		}
	}
	if f := p.parts.severities; f.Key != "" {
		p.severities(c, f)
	}
	if f := p.parts.selection; f.Key != "" {
		said := p.handoffs(f)
		c.Given.Handoffs, c.Given.States = said.Handoffs, said.States
	}
	if f := p.parts.models; f.Key != "" {
		c.Models = p.models(c.Models, f)
	}
}
