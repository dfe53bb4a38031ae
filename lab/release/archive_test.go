package main

import (
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// TestTheLinksOfAnArchiveWork: every file that its pages for users link to comes along. Those for maintainers need a checkout.
func TestTheLinksOfAnArchiveWork(t *testing.T) {
	t.Chdir("../..")
	list, err := platform{system: "linux"}.layout()
	check(t, err)
	there := map[string]bool{}
	for _, e := range list {
		for name := e.source; name != "" && name != "."; name = path.Dir(name) {
			there[name] = true
		}
	}
	link := regexp.MustCompile(`\]\(([^)\s:#]+)(#[^)\s]*)?\)`)
	for _, e := range list {
		if path.Ext(e.source) != ".md" || strings.HasPrefix(e.source, "docs/maintainers/") || e.source == "CONTRIBUTING.md" ||
			e.source == "docs/architecture.md" {
			continue
		}
		text, err := os.ReadFile(e.source)
		check(t, err)
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if to := path.Join(path.Dir(e.source), m[1]); !there[to] {
				t.Errorf("%s links to %s, which does not come along", e.source, to)
			}
		}
	}
}
