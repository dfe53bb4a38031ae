//go:build unix

package ctxledger

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"ctxledger.dev/cli"
)

// graphPage is the page whose tutorial is followed.
const graphPage = "../../docs/graph.md"

// TestTheTutorialOfContextGraphsIsTrue writes the documents of docs/graph.md as a reader does, runs each command that it shows, and
// compares what they print with the page. -update writes that into it.
func TestTheTutorialOfContextGraphsIsTrue(t *testing.T) {
	raw, err := os.ReadFile(graphPage)
	if err != nil {
		t.Fatal(err)
	}
	m := newHome(t)
	m.file("shop/.git/HEAD", "ref: refs/heads/main\n")
	page, shown := string(raw), map[string]bool{}
	saved := regexp.MustCompile("(?s)Save it as `([a-z]+\\.md)`:\n\n```markdown\n(.*?)```\n").FindStringSubmatch(page)
	if saved == nil {
		t.Fatal("the page has no document")
	}
	m.file("shop/"+saved[1], saved[2])
	consoles := regexp.MustCompile("(?s)```console\n\\$ (ctxledger [^\n]*)\n(.*?)```\n")
	now := consoles.ReplaceAllStringFunc(page, func(block string) string {
		line := consoles.FindStringSubmatch(block)[1]
		out, said, err := examples{m, strings.NewReplacer()}.sh(line)
		if err != nil && said == "" {
			t.Fatalf("%s: %v", line, err)
		}
		shown[strings.Fields(line)[2]] = true
		return "```console\n$ " + line + "\n" + string(out) + said + "```\n"
	})
	for _, c := range cli.Commands() {
		if name, is := strings.CutPrefix(c.Name, "graph "); is && !shown[name] {
			t.Errorf("the page does not show graph %s", name)
		}
	}
	if now == page {
		return
	}
	if !*update {
		t.Fatalf("%s shows something else: go test -C lab ./ctxledger -run Tutorial -update\n%s", graphPage, now)
	}
	if err := os.WriteFile(graphPage, []byte(now), 0o644); err != nil {
		t.Fatal(err)
	}
}
