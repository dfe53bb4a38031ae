// Package config reads ctxledger.yaml, the one file that a user writes into a workspace.
//
// Start at Load. Keys are written in snake_case and matched without regard to case and
// underscores, so that PascalCase configurations load unchanged.
//
// Guarantees: a workspace without the file has the defaults; a key that nobody knows is a warning
// with its line, a value of the wrong type an error with its position, never a guess; a link that
// leads out of the workspace is not followed.
//
// The package deliberately holds only settings that something uses, and decides nothing: engine
// and the commands map settings to what they do.
package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
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
}

// Ceiling returns LedgerWarnMB in bytes, 0 for no warning.
func (c Config) Ceiling() int64 { return max(0, int64(c.LedgerWarnMB)) * 1e6 }

// Default returns the settings of a workspace without a configuration.
func Default() Config {
	return Config{Follow: true, Exports: true, LedgerWarnMB: 2048, Models: tokens.Builtin()}
}

// Problem is something in a configuration that does not keep the rest from being used.
type Problem struct {
	Line    int    // in File, from 1
	Key     string // as written
	Message string // in words, without the place
}

// String returns the problem with its place: "ctxledger.yaml:3: …".
func (p Problem) String() string { return fmt.Sprintf("%s:%d: %s", File, p.Line, p.Message) }

// Load reads the configuration of a workspace; root "" has none. Errors: invalid, with the
// position, for a file that is not a YAML mapping or a value of the wrong type; too_large beyond
// yamldoc.Max bytes; denied for a file that cannot be read.
func Load(root string) (Config, []Problem, error) {
	if root == "" {
		return Default(), nil, nil
	}
	data, err := read(root)
	if err != nil {
		return Default(), nil, err
	}
	return parse(root, data)
}

// read returns the bytes of the file, none if there is no such file.
func read(root string) ([]byte, error) {
	const op = "config.load"
	dir, err := safefs.OpenRoot(root)
	if err != nil {
		return nil, fault.Wrap(fault.Denied, op, err)
	}
	defer dir.Close() // read only: nothing can be lost
	f, _, err := safefs.OpenIn(dir, File, os.O_RDONLY)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case fault.Is(err, fault.Invalid):
		return nil, err
	case err != nil:
		return nil, fault.Wrap(fault.Denied, op, err)
	}
	defer f.Close() // read only: nothing can be lost
	data, err := io.ReadAll(io.LimitReader(f, yamldoc.Max+1))
	return data, fault.Wrap(fault.Denied, op, err)
}

// parser reads one document.
type parser struct {
	root     string // of the workspace, which paths in the document are relative to
	problems []Problem
}

// parse reads the text of a configuration.
func parse(root string, data []byte) (Config, []Problem, error) {
	c, p := Default(), parser{root: root}
	fields, err := yamldoc.Fields(data)
	if err != nil {
		return Default(), nil, inFile(err)
	}
	var models, context, agents, summarizer yamldoc.Field
	err = p.take(fields, map[string]any{
		"follow": &c.Follow, "exports": &c.Exports, "ledgerwarnmb": &c.LedgerWarnMB,
		"models": &models, "context": &context, "agents": &agents, "corrections": &c.Corrections, "summarizer": &summarizer,
	})
	if err == nil && (context.Key != "" || agents.Key != "") {
		err = p.context(&c, context, agents)
	}
	if err == nil && models.Key != "" {
		c.Models, err = p.models(models)
	}
	if err == nil && summarizer.Key != "" {
		c.Summarizer, err = p.summarizer(summarizer)
	}
	if err != nil {
		return Default(), nil, inFile(err)
	}
	return c, p.problems, nil
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
			p.problems = append(p.problems, Problem{f.Line, f.Key, fmt.Sprintf("unknown setting %q", f.Key)})
			continue
		}
		if line, again := lines[key]; again {
			return fault.New(fault.Invalid, "config.load", "line %d: %s was set in line %d already", f.Line, f.Key, line)
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

// inFile names the file in an error about its text.
func inFile(err error) error {
	return fault.New(fault.CodeOf(err), "config.load", "%s: %s", File, err)
}
