//go:build linux

package authority

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The beginnings of the paths by which the driver says what it is about to do.
const (
	mark    = "/ctxledger-mark/"
	lookups = "/ctxledger-lookup/" // and by which the programs say which variable they read
)

// event is something that a program did.
type event struct {
	during string // the call
	kind   string // exec, connect or lookup
	what   string // a program, a family of addresses with its path, or a variable
}

var (
	execs    = regexp.MustCompile(`^\d+\s+(?:execve\(|execveat\(\w+, )"([^"]*)"`)
	connects = regexp.MustCompile(`^\d+\s+connect\(\d+, \{sa_family=(\w+)(?:, sun_path=(@?"[^"]*"))?`)
	accesses = regexp.MustCompile(`^\d+\s+readlinkat\(AT_FDCWD, "(/ctxledger-[a-z]+/)([^"]*)"`)
)

// events reads a trace.
func events(t *testing.T, path string) []event {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []event
	during := "start"
	for line := range strings.Lines(string(raw)) {
		if m := execs.FindStringSubmatch(line); m != nil {
			out = append(out, event{during, "exec", m[1]})
		} else if m := connects.FindStringSubmatch(line); m != nil {
			out = append(out, event{during, "connect", m[1] + strings.Trim(m[2], `"`)})
		} else if m := accesses.FindStringSubmatch(line); m != nil && m[1] == mark {
			during = m[2]
		} else if m != nil {
			out = append(out, event{during, "lookup", m[2]})
		}
	}
	return out
}

// strange returns the events that are not allowed, each once for each call.
func (b *box) strange(all []event) []event {
	var out []event
	for _, e := range all {
		if !b.allowed(e) && !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return out
}

// allowed reports whether our programs do that by themselves: they start each other and talk to the owner of the
// ledger.
func (b *box) allowed(e event) bool {
	switch e.kind {
	case "exec":
		if strings.HasSuffix(e.during, " with -- true") && filepath.Base(e.what) == "true" {
			return true // the program that the person names
		}
		return filepath.Dir(e.what) == b.Bin || e.what == b.self || e.what == "/proc/self/exe" // one of ours once more
	case "connect":
		path, unix := strings.CutPrefix(e.what, "AF_UNIX")
		return unix && strings.HasPrefix(path, b.Top+"/state/")
	}
	return slices.Contains(b.documented, e.what)
}

// documented returns the variables in the table of docs/configuration.md.
func documented(t *testing.T) []string {
	t.Helper()
	raw, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(raw), "\n## Variables\n")
	if !found {
		t.Fatal("docs/configuration.md has no section Variables")
	}
	table, _, _ = strings.Cut(table, "\n## ")
	var names []string
	for _, m := range regexp.MustCompile("(?m)^\\| ((?:`[A-Za-z_]+`(?:, )?)+) \\|").FindAllStringSubmatch(table, -1) {
		for _, n := range strings.Split(m[1], ", ") {
			names = append(names, strings.Trim(n, "`"))
		}
	}
	return names
}
