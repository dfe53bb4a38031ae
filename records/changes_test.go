package records

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/internal/limits"
)

// TestChangesAreGroupedByFile: a file with several changes has them below it, and stands where its newest one would.
func TestChangesAreGroupedByFile(t *testing.T) {
	l := newLedger(t)
	edit := func(file string) [][]byte {
		args := map[string]any{"file_path": "/ws/" + file, "old_string": "a", "new_string": "b"}
		return l.use("Edit", args, "ok", false)
	}
	messages := [][]byte{user("go on")}
	const a, b = "src/deep/a.go", "b.go"
	for _, file := range []string{a, b, a, "c.go", a, "lib/b.go", b} {
		messages = append(messages, edit(file)...)
	}
	session := l.say("", messages...)
	for _, list := range []string{"changes", "sessions/" + session + "/changes"} {
		var got []string
		l.walk(list, func(n Node) {
			n.ID = strings.TrimPrefix(n.ID, list+"/")
			id, change, below := strings.Cut(n.ID, "/")
			if below {
				id = "  " + change
			} else if n.Kind == KindFile {
				id = "="
			}
			said := strings.NewReplacer(" · 12:00", "", "12:00", "").Replace(n.Description)
			got = append(got, fmt.Sprintf("%s %s|%s|%s|%s", id, n.Kind, n.Label, said, n.File))
		})
		want := []string{
			"= file|b.go|2 changes|b.go", "  7 change|modified in turn 1||",
			"  2 change|modified in turn 1||",
			"6 change|b.go|lib · modified|lib/b.go",
			"= file|a.go|src/deep · 3 changes|src/deep/a.go", "  5 change|modified in turn 1||",
			"  3 change|modified in turn 1||",
			"  1 change|modified in turn 1||",
			"4 change|c.go|modified|c.go",
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s:\n%s", list, strings.Join(got, "\n"))
		}
	}
	l.walk("", func(n Node) {
		if n.Kind == KindChange && !strings.HasSuffix(n.URI, ".go.md") {
			t.Errorf("the tab of %s is %s", n.ID, n.URI)
		}
	})
	other := l.say("", append([][]byte{user("and now?")}, edit(b)...)...)
	var of []string // each session has a turn 1
	l.walk("changes", func(n Node) {
		if _, session, named := strings.Cut(n.Label, " of "); named {
			of = append(of, session)
		}
	})
	if want := []string{other, session, session}; !slices.Equal(of, want) {
		t.Errorf("the changes of b.go are of %q, want %q", of, want)
	}
}

// TestEveryChangeIsOnOnePage: of files that change again and again, too.
func TestEveryChangeIsOnOnePage(t *testing.T) {
	l := newLedger(t)
	const n = 2*pageSize + 5
	messages := [][]byte{user("go on")}
	for i := range n {
		messages = append(messages, l.use("Edit", map[string]any{"file_path": fmt.Sprintf("/ws/%d.txt", i%3),
			"old_string": "a", "new_string": "b"}, "ok", false)...)
	}
	l.say("", messages...)
	seen, files := map[string]int{}, 0
	l.walk("changes", func(n Node) {
		switch n.Kind {
		case KindChange:
			seen[n.opens.ID]++
		case KindFile:
			files++
		}
	})
	for i := range n {
		if got := seen[fmt.Sprint(i+1)]; got != 1 {
			t.Errorf("change %d is there %d times", i+1, got)
		}
	}
	if files != 3+3+2 { // of the five on the last page, one is alone
		t.Errorf("there are %d files with several changes on three pages", files)
	}
}

// TestAnArtifactOfAFileIsNamedAfterIt: what an agent read has the name of the file, other results that of their call.
func TestAnArtifactOfAFileIsNamedAfterIt(t *testing.T) {
	l := newLedger(t)
	long := strings.Repeat("a line of the log that is long enough to be kept outside\n", limits.OffloadChars/50)
	read := l.use("Read", map[string]any{"file_path": "/ws/logs/big.log"}, long, false)
	messages := append([][]byte{user("go on")}, read...)
	l.say("", append(messages, l.use("Bash", map[string]any{"command": "cat a/b.log"}, long+"x", false)...)...)
	nodes := must(l.Nodes(t.Context(), "artifacts"))
	got := map[string]Node{}
	for _, n := range nodes {
		got[n.Label] = n
	}
	of, ran := got["big.log"], got["cat a/b.log"]
	if of.File != "logs/big.log" || !strings.HasPrefix(of.Description, "logs · 11,200 tokens · Read · ") ||
		!strings.HasSuffix(of.URI, "/big.log") || ran.URI == "" || ran.File != "" {
		t.Errorf("the artifacts are %+v", nodes)
	}
}
