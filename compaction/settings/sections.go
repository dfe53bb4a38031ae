package settings

import (
	"slices"
	"strings"

	"ctxledger.dev/internal/fault"
)

// A Preset is a set of sections of a model's summary. Other programs parse their headings.
type Preset struct {
	name     string
	Sections []Section
}

// A Section is a heading, and what belongs under it.
type Section struct{ Head, Holds string }

// DefaultPreset returns the preset that is used where none is named.
func DefaultPreset() Preset { return presets[0] }

// presets are the known ones; the first is the default, the last asks for no headings.
var presets = []Preset{
	{"default", []Section{
		{"## Completed", "what is done, with exact paths, commands with their exit codes, and commits"},
		{"## Open Questions", "what was asked or found unclear and is not settled"},
		{"## Remaining Work", "what is left of the task, with the exact next step first"},
		{"## Key Findings", "decisions with their reasons, constraints, causes, names and figures that later " +
			"work needs"},
	}},
	{"deepagents", []Section{
		{"## SESSION INTENT", "what the user wants from this session"},
		{"## SUMMARY", "the context that matters: decisions with their reasons, what was ruled out"},
		{"## ARTIFACTS", "files that were made, changed or read, with exact paths, and what was done to each"},
		{"## NEXT STEPS", "what is left, the exact next step first"},
	}},
	{"pi", []Section{
		{"## Goal", "what the user wants"},
		{"## Constraints & Preferences", "what the user demands or rules out"},
		{"## Progress", "with the parts ### Done, ### In Progress and ### Blocked"},
		{"## Key Decisions", "each with its reason"},
		{"## Next Steps", "in order, the exact next step first"},
		{"## Critical Context", "names, figures and facts that later work needs"},
	}},
	{"none", nil},
}

// PresetNames returns the names of the presets.
func PresetNames() []string {
	var names []string
	for _, p := range presets {
		names = append(names, p.name)
	}
	return names
}

// PresetOf returns the preset with a name. Error: invalid for an unknown one.
func PresetOf(name string) (Preset, error) {
	for _, p := range presets {
		if name == "" || strings.EqualFold(name, p.name) {
			return p, nil
		}
	}
	return Preset{}, fault.New(fault.Invalid, "compaction.plan", "unknown sections %.1000q: use %s", name,
		strings.Join(PresetNames(), ", "))
}

// Missing returns the headings that a text does not have on a line of their own.
func (p Preset) Missing(text string) []string {
	var have, out []string
	for line := range strings.Lines(text) {
		have = append(have, strings.TrimRight(strings.TrimSpace(line), ":"))
	}
	for _, s := range p.Sections {
		if !slices.ContainsFunc(have, func(h string) bool { return strings.EqualFold(h, s.Head) }) {
			out = append(out, s.Head)
		}
	}
	return out
}

// Complete adds the missing headings to a text.
func (p Preset) Complete(text string) string {
	for _, head := range p.Missing(text) {
		text += "\n\n" + head + "\nNone recorded."
	}
	return text
}
