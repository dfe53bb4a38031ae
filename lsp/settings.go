package lsp

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/lsp/anyfile"
)

// Settings select what a user sees.
type Settings struct {
	// Show is how much is shown: "quiet" (what is asked for), "normal" or "all". It sets all others but Live, Status and
	// Model; those that are named beside it override it.
	Show string `json:"show"`
	// Lens shows the cost of a file above its first line: "off", "live" (only on files that the live session touched) or
	// "always".
	Lens string `json:"lens"`
	// Hover shows costs under the mouse: "off", "headings" (of Markdown) or "always".
	Hover string `json:"hover"`
	// Hints is the number of tokens from which the cost of a section is shown at its end. 0: never.
	Hints int `json:"hints"`
	// Symbols lists the sections of a document with their costs, in the editor's outline.
	Symbols bool `json:"symbols"`
	// Folding lets sections be folded.
	Folding bool `json:"folding"`
	// CountSelection offers to count what is selected.
	CountSelection bool `json:"countSelection"`
	// Diagnostics are the codes of the findings to report: see anyfile.Codes. Empty: none.
	Diagnostics []string `json:"diagnostics"`
	// AgentFiles shows what files cost that agents load with every request, and what is wrong with them.
	AgentFiles bool `json:"agentFiles"`
	// Graphs shows what the operations of context graphs send, and helps with writing them: see docs/graph.md.
	Graphs bool `json:"graphs"`
	// Live follows the live session of the workspace, which starts the ledger's daemon.
	Live bool `json:"live"`
	// Status sends notifications about the live session: ctxledger/status.
	Status bool `json:"status"`
	// Model is the model to count for. "": that of the live session, else of the newest one, else o200k_base.
	Model string `json:"model"`
}

// When something is shown.
const (
	showOff      = "off"
	showLive     = "live"
	showHeadings = "headings"
	showAlways   = "always"
)

// How much is shown.
const (
	showQuiet  = "quiet"
	showNormal = "normal"
	showAll    = "all"
)

// allHints is the number of tokens from which sections have hints where everything is shown.
const allHints = 200

// showing returns s with what is shown where so much is.
func (s Settings) showing(much string) (Settings, error) {
	base := defaults()
	base.Show, base.Live, base.Status, base.Model = much, s.Live, s.Status, s.Model
	switch much {
	case showNormal:
	case showQuiet:
		base.Lens, base.AgentFiles, base.Diagnostics = showOff, false, []string{}
	case showAll:
		base.Lens, base.Hover, base.Hints = showAlways, showAlways, allHints
		base.Symbols, base.CountSelection, base.Diagnostics = true, true, anyfile.Codes()
	default:
		return s, fault.New(fault.Invalid, "lsp.settings", "show is %.1000q, not one of %s, %s, %s", much, showQuiet,
			showNormal, showAll)
	}
	return base, nil
}

// section is the name of our settings in those of an editor.
const section = "ctxledger"

func defaults() Settings {
	return Settings{Show: showNormal, Lens: showLive, Hover: showHeadings, AgentFiles: true, Graphs: true,
		Live: true, Diagnostics: []string{anyfile.LargeRead, anyfile.StaleRead}}
}

// read reads a client's settings, only ours or all. Settings that are missing or wrong keep their value in s. Errors:
// invalid, naming each wrong one.
func (s Settings) read(raw []byte) (Settings, error) {
	var all map[string]json.RawMessage
	if json.Unmarshal(raw, &all) == nil && all[section] != nil {
		raw, all = all[section], nil
	}
	if len(raw) == 0 || string(raw) == "null" {
		return s, nil
	}
	if err := json.Unmarshal(raw, &all); err != nil {
		return s, fault.Wrap(fault.Invalid, "lsp.settings", err)
	}
	var wrong []string
	ignore := func(err error) {
		if err != nil {
			wrong = append(wrong, err.Error())
		}
	}
	if much, named := all["show"]; named {
		var text string
		if json.Unmarshal(much, &text) != nil {
			text = string(much)
		}
		var err error
		s, err = s.showing(text)
		ignore(err)
		delete(all, "show")
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		said, err := s.with(name, all[name])
		if ignore(err); err == nil {
			s = said
		}
	}
	if len(wrong) > 0 {
		return s, fault.New(fault.Invalid, "lsp.settings", "%s", strings.Join(wrong, "; "))
	}
	return s, nil
}

// with returns s with one setting of the client. Unknown settings are ignored.
func (s Settings) with(name string, value json.RawMessage) (Settings, error) {
	one, err := json.Marshal(map[string]json.RawMessage{name: value})
	if err != nil {
		return s, fault.Wrap(fault.Invalid, "lsp.settings", err)
	}
	said := s
	said.Diagnostics = slices.Clone(s.Diagnostics) // decoding would overwrite those of s
	if err := json.Unmarshal(one, &said); err != nil {
		return s, fault.New(fault.Invalid, "lsp.settings", "the setting %.1000q cannot be %.1000s", name, value)
	}
	return said, said.check()
}

// check validates the settings.
func (s Settings) check() error {
	for _, one := range []struct{ name, value, middle string }{{"lens", s.Lens, showLive}, {"hover", s.Hover,
		showHeadings}} {
		if one.value != showOff && one.value != one.middle && one.value != showAlways {
			return fault.New(fault.Invalid, "lsp.settings", "%s is %.1000q, not one of off, %s, always", one.name,
				one.value, one.middle)
		}
	}
	for _, code := range s.Diagnostics {
		if !slices.Contains(anyfile.Codes(), code) {
			return fault.New(fault.Invalid, "lsp.settings", "unknown diagnostic %.1000q; known: %s", code,
				strings.Join(anyfile.Codes(), ", "))
		}
	}
	return nil
}
