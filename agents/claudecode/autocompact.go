package claudecode

import (
	"cmp"
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/pattern"
	"ctxledger.dev/internal/safefs"
)

// What Claude Code (2.1.328) keeps free when it compacts automatically: room for an answer, and for the compaction.
const (
	answerRoom  = 20_000
	earlierRoom = 32_000 // for an answer, of versions until 2.1.17
	compactRoom = 13_000
	leastWindow = 100_000 // of what the variable may set
	usualWindow = 200_000 // of its models
	largeWindow = 1_000_000
	maxSettings = 1 << 20 // bytes of a settings file
)

// fileSettings are the settings of a file that say when Claude Code compacts automatically, and whether it runs hooks of ours.
type fileSettings struct {
	Hooks              map[string]json.RawMessage
	DisableAllHooks    *bool
	EnabledPlugins     map[string]json.RawMessage
	file               string
	Model              string
	AutoCompactEnabled *bool
	AutoCompactWindow  compactWindow
	ModelSettings      map[string]struct{ AutoCompactWindow compactWindow }
	Env                map[string]string
}

// compactWindow is a number of tokens; 0: "auto", or not set.
type compactWindow int

// UnmarshalJSON implements json.Unmarshaler.
func (w *compactWindow) UnmarshalJSON(raw []byte) error {
	n, err := strconv.Atoi(string(raw))
	if *w = compactWindow(n); err != nil {
		*w = 0
	}
	return nil
}

// SettingsFiles returns the paths of the settings of the user, of a tree, and of the user in the tree: later ones win.
func SettingsFiles(e env.Env, tree string) []string {
	return []string{filepath.Join(ConfigDir(e), "settings.json"), filepath.Join(tree, ".claude", "settings.json"),
		filepath.Join(tree, ".claude", "settings.local.json")}
}

// AutoCompact returns at how many tokens Claude Code compacts automatically a session in a tree, if that is set: in the
// settings of the user, of the tree or of the user in the tree, of which later ones win, or by a variable of this process
// or of these settings. why names what says so. It is 0 where that says that it does not. Without why nothing is set, and
// at is the default of its version, which Anthropic can lower for an account; 0: not known.
func AutoCompact(e env.Env, tree, model, version string, window int) (at int, why string) {
	var set fileSettings
	limit, from := 0, ""
	all, variable := settings(e, tree)
	for _, one := range all {
		if one.AutoCompactEnabled != nil {
			set.AutoCompactEnabled = one.AutoCompactEnabled
		}
		if n := one.window(model); n > 0 {
			limit, from = int(n), "autoCompactWindow in "+shortened(e, one.file)
		}
	}
	if n := tokensOf(variable("CLAUDE_CODE_AUTO_COMPACT_WINDOW")); n > 0 {
		limit, from = max(n, leastWindow), "CLAUDE_CODE_AUTO_COMPACT_WINDOW"
	}
	for _, name := range []string{"DISABLE_COMPACT", "DISABLE_AUTO_COMPACT"} {
		if on(variable(name)) {
			return 0, "off (" + name + " is set)"
		}
	}
	if set.AutoCompactEnabled != nil && !*set.AutoCompactEnabled {
		return 0, "off (autoCompactEnabled is false)"
	}
	const share = "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"
	percent, err := strconv.ParseFloat(strings.TrimSpace(variable(share)), 64)
	if err != nil || percent <= 0 || percent > 100 {
		percent = 0
	}
	usual := byDefault(model, version, window)
	if limit == 0 && (percent == 0 || usual > 0 && usual == window) {
		return usual, ""
	}
	if limit == 0 || window > 0 && window < limit {
		limit = window
	}
	room := limit - answerRoom
	if at = room - compactRoom; percent > 0 {
		at, from = min(at, int(math.Floor(float64(room)*percent/100))), strings.TrimPrefix(from+" and "+share, " and ")
	}
	return max(0, at), from
}

// byDefault returns at how many tokens a version compacts a model with a window if nothing is set; 0: not known. 2.1.328 was
// tried: a window of 200,000 it fills with models of 4.5, until the provider refuses a request. What earlier versions did is known
// from recordings: 9 compactions of 2.1.1 to 2.1.17, from 155,245 to 156,912 tokens, and 12 of 2.1.29 to 2.1.39, from 167,091 on.
func byDefault(model, version string, window int) int {
	at, late := versionOf(version), false
	switch plainModel(model) {
	case "claude-haiku-4-5", "claude-sonnet-4-5", "claude-opus-4-5":
		late = true
	case "claude-opus-4-6", "claude-sonnet-4-6":
	case "claude-opus-4-7", "claude-sonnet-5", "claude-opus-5", "claude-fable-5":
		if window == largeWindow && !before(at, 2, 1, 328) {
			return window - answerRoom - compactRoom
		}
		return 0
	default:
		return 0
	}
	switch {
	case window != usualWindow:
		return 0
	case !before(at, 2, 1, 1) && before(at, 2, 1, 18):
		return window - earlierRoom - compactRoom
	case before(at, 2, 1, 29), !before(at, 2, 1, 40) && before(at, 2, 1, 328):
		return 0
	case late && !before(at, 2, 1, 328):
		return window
	}
	return window - answerRoom - compactRoom
}

// before reports whether a version is older than another one.
func before(version [3]int, other ...int) bool { return slices.Compare(version[:], other) < 0 }

// versionOf reads a version such as 2.1.328; zero: it is none.
func versionOf(text string) (v [3]int) {
	parts := strings.SplitN(text, ".", len(v)+1)
	if len(parts) != len(v) {
		return v
	}
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 {
			return [3]int{}
		}
		v[i] = n
	}
	return v
}

// Window returns the window in tokens that Claude Code (2.1.328) gives a model in a session in a tree, where that is not what the
// model has: the large one if the settings or a variable name the model with "[1m]", and else the usual one to models of 4.6.
// 0: not known.
func Window(e env.Env, tree, model string) int {
	named := ""
	all, variable := settings(e, tree)
	for _, one := range all {
		named = cmp.Or(one.Model, named)
	}
	bare, large := strings.CutSuffix(cmp.Or(variable("ANTHROPIC_MODEL"), named), longContext)
	same := bare != "" && strings.Contains(model, "-"+bare+"-") || plainModel(bare) == plainModel(model)
	if large && same {
		return largeWindow
	}
	switch plainModel(model) {
	case "claude-opus-4-6", "claude-sonnet-4-6":
		return usualWindow
	}
	return 0
}

// ToolSearch reports whether Claude Code in a tree loads the definition of a tool only when the model looks for it.
func ToolSearch(e env.Env, tree string) bool {
	_, variable := settings(e, tree)
	switch strings.ToLower(strings.TrimSpace(variable("ENABLE_TOOL_SEARCH"))) {
	case "0", "false", "no", "off":
		return false
	}
	return true
}

// settings returns those of the files that can be read, in their order, and what variables have with them. Earlier versions
// kept settings of the user in the state file.
func settings(e env.Env, tree string) (all []fileSettings, variable func(string) string) {
	variable = e.Lookup
	for _, name := range append([]string{StateFile(e)}, SettingsFiles(e, tree)...) {
		raw, err := safefs.ReadFile(name, maxSettings)
		one := fileSettings{file: name}
		if err != nil || json.Unmarshal(raw, &one) != nil {
			continue
		}
		all = append(all, one)
		for key, value := range one.Env {
			variable = with(variable, key, value)
		}
	}
	return all, variable
}

// window returns the window that a file sets for a model, whose name it may spell with or without its date and its size.
func (s fileSettings) window(model string) compactWindow {
	for name, own := range s.ModelSettings {
		if own.AutoCompactWindow > 0 && plainModel(name) == plainModel(model) {
			return own.AutoCompactWindow
		}
	}
	return s.AutoCompactWindow
}

// plainModel returns the name of a model without its date and its size.
func plainModel(name string) string { return spelling().ReplaceAllString(name, "") }

// longContext is how Claude Code marks that a model runs with the large window.
const longContext = "[1m]"

// spelling matches what names of the same model differ in.
var spelling = pattern.Lazy(`(-20[0-9]{6})?(\[1m\])?$`)

// with returns a lookup in which a variable has another value.
func with(lookup func(string) string, name, value string) func(string) string {
	return func(asked string) string {
		if asked == name {
			return value
		}
		return lookup(asked)
	}
}

// tokensOf reads a size such as 200000, 200k or 1m; 0: it is none.
func tokensOf(text string) int {
	text = strings.ToLower(strings.TrimSpace(text))
	unit := map[string]float64{"k": 1e3, "m": 1e6}[text[max(0, len(text)-1):]]
	if unit == 0 {
		unit = 1
	} else {
		text = text[:len(text)-1]
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n < 1 || n*unit > math.MaxInt32 {
		return 0
	}
	return int(math.Round(n * unit))
}

// on reports whether a variable switches something on.
func on(value string) bool {
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "1", "true", "yes", "on":
		return true
	}
	return false
}

// shortened returns a path below the home directory with a tilde.
func shortened(e env.Env, path string) string {
	if rel, err := filepath.Rel(e.Home, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(filepath.Join("~", rel))
	}
	return path
}
