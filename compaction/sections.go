package compaction

import (
	"slices"
	"strings"

	"ctxledger.dev/internal/fault"
)

// A preset is a set of sections that a model's summary has. Other programs key on their headings.
type preset struct {
	name     string
	sections []section
}

type section struct{ head, holds string }

// presets are the known ones; the first is the default, the last asks for no headings.
var presets = []preset{
	{"default", []section{
		{"## Completed", "what is done, with exact paths, commands with their exit codes, and commits"},
		{"## Open Questions", "what was asked or found unclear and is not settled"},
		{"## Remaining Work", "what is left of the task, with the exact next step first"},
		{"## Key Findings", "decisions with their reasons, constraints, causes, names and figures that later work needs"},
	}},
	{"deepagents", []section{
		{"## SESSION INTENT", "what the user wants of this session"},
		{"## SUMMARY", "the context that matters: decisions with their reasons, what was ruled out"},
		{"## ARTIFACTS", "files that were made, changed or read, with exact paths, and what was done to each"},
		{"## NEXT STEPS", "what is left, the exact next step first"},
	}},
	{"pi", []section{
		{"## Goal", "what the user wants"},
		{"## Constraints & Preferences", "what the user demands or rules out"},
		{"## Progress", "with the parts ### Done, ### In Progress and ### Blocked"},
		{"## Key Decisions", "each with its reason"},
		{"## Next Steps", "in order, the exact next step first"},
		{"## Critical Context", "names, figures and facts that later work needs"},
	}},
	{"none", nil},
}

// presetOf returns the preset with a name. Error: invalid for an unknown one.
func presetOf(name string) (preset, error) {
	var names []string
	for _, p := range presets {
		if name == "" || strings.EqualFold(name, p.name) {
			return p, nil
		}
		names = append(names, p.name)
	}
	return preset{}, fault.New(fault.Invalid, "compaction.plan", "there are no sections %.1000q: use %s", name, strings.Join(names, ", "))
}

// missing returns the headings that a text does not have on a line of their own.
func (p preset) missing(text string) []string {
	var have, out []string
	for line := range strings.Lines(text) {
		have = append(have, strings.TrimRight(strings.TrimSpace(line), ":"))
	}
	for _, s := range p.sections {
		if !slices.ContainsFunc(have, func(h string) bool { return strings.EqualFold(h, s.head) }) {
			out = append(out, s.head)
		}
	}
	return out
}

// complete adds the missing headings to a text.
func (p preset) complete(text string) string {
	for _, head := range p.missing(text) {
		text += "\n\n" + head + "\nNone recorded."
	}
	return text
}
