package agentmatrix

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ctxledger.dev/lab/programtest"
	"ctxledger.dev/lab/sandbox"
	model "ctxledger.dev/lab/scriptedmodel"
)

// pageHead is the first line of a page: which lines of how many, or which bytes of a line that is longer than a page.
var pageHead = regexp.MustCompile(`\[(?:lines? (\d+)(?:-(\d+))?|line \d+, bytes (\d+)-(\d+)) of \d+ lines, \d+ bytes\]\n`)

// longText is a text that agents cut in their own way when it is longer than an agent passes on.
type longText struct{ name, text string }

func longTexts() []longText {
	repeat := func(n int, line string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, line, i)
		}
		return b.String()
	}
	return []longText{
		{"lines of a log", repeat(1_000, "2026-11-20 11:05:%02d GET /catalogue/items?page=3 200 in 12 ms, 4,096 bytes\n")},
		{"short lines", repeat(12_000, "%d\n")},
		{"Chinese", repeat(1_500, "第%d行写着价格，价格以分为单位保存，合计在最后一列。\n")},
		{"quotes", repeat(1_500, `{"n":%d,"path":"C:\\shop\\items","note":"\"ok\""}`+"\n")},
		{"control sequences", repeat(2_000, "\x1b[32m✓\x1b[0m test %d\n")},
		{"one line", strings.Repeat("0123456789", 6_000)},
	}
}

// TestRealAgentsPassOnWholePages has each agent read long texts with the largest page there is. The model must read all of
// what the page's first line says is there.
func TestRealAgentsPassOnWholePages(t *testing.T) {
	texts := longTexts()
	for _, h := range hosts {
		t.Run(h.name, func(t *testing.T) {
			s := programtest.NewBox(t, bin)
			var script model.Script
			for _, x := range texts {
				script = append(script, model.Do("", model.Call{Tool: "read_artifact",
					Input: in{"id": stored(t, s, x.text), "limit": 40_000}}))
			}
			var answers []string
			for _, x := range h.play(t, s, "--workspace="+s.Workspace, append(script, model.Say("Done.")), nil).Log() {
				if x.Step > 0 {
					answers = append(answers, x.Results...)
				}
			}
			if len(answers) != len(texts) {
				t.Fatalf("%d calls have %d results", len(texts), len(answers))
			}
			for i, x := range texts {
				wholePage(t, x.name, x.text, answers[i])
			}
		})
	}
}

// stored puts a text into the ledger and returns its id.
func stored(t *testing.T, s *sandbox.Sandbox, text string) string {
	t.Helper()
	file := filepath.Join(s.Top, "long.txt")
	put(t, file, text)
	out, err := s.Run(t.Context(), "artifact", "save", file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// wholePage fails unless an answer has all of the text that its first line names.
func wholePage(t *testing.T, name, text, answer string) {
	t.Helper()
	m := pageHead.FindStringSubmatchIndex(answer)
	if m == nil {
		t.Errorf("%s: %d characters without a page's first line: %.300q", name, len(answer), answer)
		return
	}
	number := func(group int) int {
		if m[2*group] < 0 {
			return -1
		}
		n, err := strconv.Atoi(answer[m[2*group]:m[2*group+1]])
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	var want string
	if first, last := number(1), number(2); first > 0 {
		lines := strings.SplitAfter(text, "\n")
		want = strings.Join(lines[first-1:max(first, last)], "")
	} else {
		want = text[number(3) : number(4)+1]
	}
	if !strings.HasPrefix(answer[m[1]:], want) {
		t.Errorf("%s: of %s, %d bytes, something is missing; %d bytes arrived:\n%.200q … %q", name, answer[m[0]:m[1]-1],
			len(want), len(answer), answer, answer[max(0, len(answer)-200):])
		return
	}
	t.Logf("%s: %d bytes arrived: %s", name, len(answer), answer[m[0]:m[1]-1])
}
