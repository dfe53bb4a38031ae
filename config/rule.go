package config

import (
	"strings"

	"ctxledger.dev/window"
)

// A Kind is what the value of a key must be.
type Kind int

// The kinds of values.
const (
	Bool    Kind = iota // true or false
	Count               // a whole number
	Share               // a number from 0 to 1
	Number              // a number
	Text                // a string
	Word                // one of some texts
	Texts               // a string list
	Counts              // a mapping from names to whole numbers
	Mapping             // a mapping with the keys of Rules
	Table               // a mapping from names to mappings with the keys of Rules
	List                // a list of mappings with the keys of Rules
	Any                 // anything: it has no effect
)

// String returns what a person would call a value of the kind.
func (k Kind) String() string {
	return [...]string{"true or false", "a whole number", "a fraction, from 0 to 1", "a number", "a string", "a word",
		"a string list", "a mapping from names to whole numbers", "a mapping", "a mapping from names to mappings",
		"a list of mappings", "anything"}[k]
}

// A Rule is one key of a configuration: what its value must be, what it means and where it goes. The rules are the one
// source of what is read, checked and documented: see Rules.
type Rule struct {
	Key     string   // in snake_case; keys match regardless of case and underscores
	Kind    Kind     //
	Unit    string   // of a number: "tokens"
	Default string   // as it is written in YAML; "": nothing is set
	Zero    string   // what 0 means, in a word; "": a number like others
	Values  []string // of a Word
	Least   int      // of a Count
	Most    int      // of a Count; 0: no bound
	Code    string   // of the finding that a value is none of these; "": the usual one
	Doc     string   // what it does, in Markdown
	// Theirs are the defaults of other programs where Default differs from them, and Differs says why.
	Theirs, Differs string
	Rules           []Rule // of a Mapping, of each entry of a Table, of each item of a List
	// From names the program whose key this is; "" for ctxledger's own.
	From string
	// As is the setting that a key of another program sets: "keep.turns" of context, or a whole path. See Sets.
	As string
	// Missing are words of another program that ctxledger lacks, with what stands in for them.
	Missing map[string]string
	// Ignored says why a key of another program has no effect; "" if it has one.
	Ignored string

	into  func(*target) any // where the value goes; nil: nowhere, or the keys of a mapping say it
	first func(*target)     // what is done before any value of the mapping is taken, if the key is set
}

// A target is what the values of a document are put into.
type target struct {
	config     *Config
	policy     *window.Policy
	summarizer *summarizerText
	model      *modelText
	agent      *agentText
	source     *sourceText
	parts      *parts
	severities map[string]*string // of findings about context graphs, by code
}

// Sets returns the path of the setting that a key of another program sets: "context.keep.turns"; "": it sets none.
func (r Rule) Sets() string {
	if r.As == "" || strings.HasPrefix(r.As, "summarizer.") || strings.HasPrefix(r.As, "limits.") {
		return r.As
	}
	return "context." + r.As
}

// fold returns a key in the form in which keys are matched.
func fold(key string) string { return strings.ToLower(strings.ReplaceAll(key, "_", "")) }

// Find returns the rule of a key; nil: there is none.
func Find(rules []Rule, key string) *Rule {
	key = fold(key)
	for i := range rules {
		if fold(rules[i].Key) == key {
			return &rules[i]
		}
	}
	return nil
}

// ruleAt returns the rule at a path of keys, "keep.turns"; nil: there is none.
func ruleAt(rules []Rule, path string) *Rule {
	var r *Rule
	for key := range strings.SplitSeq(path, ".") {
		if r = Find(rules, key); r == nil {
			return nil
		}
		rules = r.Rules
	}
	return r
}
