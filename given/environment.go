package given

import (
	"regexp"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/memory"
)

// The facts of an environment, by their names in its block.
const (
	FactOS        = "OS"
	FactArch      = "Architecture"
	FactShell     = "Shell"
	FactDirectory = "Working directory"
	FactTime      = "Date/time"
)

// Environment returns the block about where an agent runs, without the facts that its host tells it anyway.
func Environment(e env.Env, dir string, told ...string) string {
	lines := []string{"## Runtime Environment"}
	for _, fact := range []struct{ name, value string }{
		{FactOS, named(map[string]string{"linux": "Linux", "darwin": "macOS", "windows": "Windows"}, runtime.GOOS)},
		{FactArch, named(map[string]string{"amd64": "x64", "386": "x86"}, runtime.GOARCH)},
		{FactShell, chars.Short(chars.Line(e.Lookup("SHELL")), 200)},
		{FactDirectory, chars.Short(chars.Line(dir), 500)},
		{FactTime, clock(e)},
	} {
		if fact.value != "" && !slices.Contains(told, fact.name) {
			lines = append(lines, fact.name+": "+fact.value)
		}
	}
	return strings.Join(lines, "\n")
}

// named returns the name of a system, the word itself where it has no other.
func named(names map[string]string, word string) string {
	if name := names[word]; name != "" {
		return name
	}
	return word
}

// clock returns the local time, its offset and, if it is known, the zone.
func clock(e env.Env) string {
	now := e.Now()
	zone := e.Lookup("TZ")
	if zone == "" || !zoneName().MatchString(zone) {
		zone = now.Location().String()
	}
	stamp := now.Format("2006-01-02 15:04:05 -07:00")
	if zone != "" && zone != "Local" {
		stamp += " (" + zone + ")"
	}
	return stamp
}

// zoneName matches the names of time zones.
func zoneName() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_+\-/]{1,64}$`) }

// Bounds of what is shown of a .gitignore.
const (
	ignoreLines = 100
	ignoreChars = 500 // of a line
)

// Ignored returns the block with the .gitignore of a directory, as many of its lines as IgnoreTokens take; "" for none, and for
// one that is no file of the directory.
func Ignored(dir string) string { return ignored(dir, IgnoreTokens) }

// IgnoredWhole is Ignored for somebody who asks for it.
func IgnoredWhole(dir string) string { return ignored(dir, 1_000) }

func ignored(dir string, most int) string {
	raw := readIn(dir, ".gitignore")
	text := strings.TrimRight(chars.Plain(strings.ReplaceAll(string(raw), "\r\n", "\n")), " \t\n")
	if text == "" || !utf8.Valid(raw) {
		return ""
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = chars.Short(lines[i], ignoreChars)
	}
	for n := min(len(lines), ignoreLines); n > 0; n-- {
		shown := strings.Join(lines[:n], "\n")
		if more := len(lines) - n; more > 0 {
			shown += sprintf("\n[... %s more lines]", more)
		}
		if block := "## .gitignore\n" + inFence(shown); memory.Tokens(block) <= most {
			return block
		}
	}
	return ""
}
