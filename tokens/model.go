package tokens

import (
	"slices"
	"strings"
)

// model is what is known of the models whose names start with prefix.
type model struct {
	prefix string
	family family
	window int // tokens of context, 0 if not known
}

// models is sorted by prefix. The longest prefix that ends where a word of the name ends wins.
var models = []model{
	{"chatgpt-4o", openAI, 128_000},
	{"claude-", claude, 200_000},
	{"claude-1", claudeOld, 100_000},
	{"claude-2", claudeOld, 100_000},
	{"claude-2.", claudeOld, 200_000},
	{"claude-2.0", claudeOld, 100_000},
	{"claude-3", claudeOld, 200_000},
	{"claude-3.", claudeOld, 200_000},
	{"claude-haiku-4", claudeOld, 200_000},
	{"claude-haiku-4.", claudeOld, 200_000},
	{"claude-instant", claudeOld, 100_000},
	{"claude-opus-4", claudeOld, 200_000},
	{"claude-opus-4-7", claude, 200_000},
	{"claude-opus-4-8", claude, 200_000},
	{"claude-opus-4-9", claude, 200_000},
	{"claude-opus-4.", claudeOld, 200_000},
	{"claude-opus-4.7", claude, 200_000},
	{"claude-opus-4.8", claude, 200_000},
	{"claude-opus-4.9", claude, 200_000},
	{"claude-sonnet-4", claudeOld, 200_000},
	{"claude-sonnet-4.", claudeOld, 200_000},
	{"codex-mini", openAI, 200_000},
	{"gemini-", gemini, 0},
	{"gemini-1.5", gemini, 1_048_576},
	{"gemini-2.", gemini, 1_048_576},
	{"gpt-3.5", openAIOld, 16_385},
	{"gpt-3.5-turbo", openAIOld, 16_385},
	{"gpt-3.5-turbo-instruct", openAIOld, 4_096},
	{"gpt-35-turbo", openAIOld, 16_385}, // as Azure spells it
	{"gpt-4", openAIOld, 8_192},
	{"gpt-4-0125-preview", openAIOld, 128_000},
	{"gpt-4-1106-preview", openAIOld, 128_000},
	{"gpt-4-32k", openAIOld, 32_768},
	{"gpt-4-turbo", openAIOld, 128_000},
	{"gpt-4-vision", openAIOld, 128_000},
	{"gpt-4.1", openAI, 1_047_576},
	{"gpt-4.5", openAI, 128_000},
	{"gpt-4o", openAI, 128_000},
	{"gpt-5", openAI, 400_000},
	{"gpt-5-chat", openAI, 128_000},
	{"gpt-5.", openAI, 400_000},
	{"gpt-oss", openAI, 131_072},
	{"o1", openAI, 200_000},
	{"o1-mini", openAI, 128_000},
	{"o1-preview", openAI, 128_000},
	{"o3", openAI, 200_000},
	{"o4", openAI, 0},
	{"o4-mini", openAI, 200_000},
}

// longContext is how agents mark that a model runs with the large window, and that window.
const (
	longContext       = "[1m]"
	longContextWindow = 1_000_000
)

// Window returns the size in tokens of a model's context window, and whether it is known; a
// window that is not known is 0. Names are read as by For; one that ends in "[1m]" has a
// window of a million tokens.
func Window(model string) (tokens int, known bool) {
	m := lookup(model)
	if m.family != unknown && strings.HasSuffix(bareName(model), longContext) {
		return longContextWindow, true
	}
	return m.window, m.window > 0
}

// lookup returns the entry of a model, or the zero value.
func lookup(name string) model {
	name = bareName(name)
	// Prefixes of a name sort before it, and the longer ones later.
	at, exact := slices.BinarySearchFunc(models, name, func(m model, name string) int {
		return strings.Compare(m.prefix, name)
	})
	if exact {
		return models[at]
	}
	for i := at - 1; i >= 0 && models[i].prefix[0] == name[0]; i-- {
		if hasWordPrefix(name, models[i].prefix) {
			return models[i]
		}
	}
	return model{}
}

// bareName returns a model's name in lower case and without what routers and clouds put in
// front of it: "us.anthropic.claude-…", "openai/gpt-…", "ft:gpt-…".
func bareName(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	name = name[strings.LastIndexByte(name, '/')+1:]
	name = strings.TrimPrefix(name, "ft:")
	if _, after, ok := strings.Cut(name, "anthropic."); ok {
		return after
	}
	return name
}

// hasWordPrefix reports whether name starts with prefix and the prefix does not end inside a
// word or a version number: "gpt-4" is no prefix of "gpt-4o" and "gpt-4.1".
func hasWordPrefix(name, prefix string) bool {
	rest, ok := strings.CutPrefix(name, prefix)
	if !ok || rest == "" {
		return ok
	}
	if last := prefix[len(prefix)-1]; last == '-' || last == '.' {
		return true
	}
	next := rest[0]
	return next != '.' && !('0' <= next && next <= '9') && !('a' <= next && next <= 'z')
}
