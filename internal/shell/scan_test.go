package shell

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSegmentsAreTheSimpleCommandsAsWritten(t *testing.T) {
	for _, c := range []struct {
		line string
		want []Segment
	}{
		{"", nil},
		{" ;; & ", nil},
		{"cd /w && go test ./... 2>&1 | tail -20",
			[]Segment{{Text: "cd /w"}, {"go test ./... 2>&1", true}, {Text: "tail -20"}}},
		{`grep 'a && b' "c|d" e\;f || make`, []Segment{{Text: `grep 'a && b' "c|d" e\;f`}, {Text: "make"}}},
		{"make &> log & make test >& log", []Segment{{Text: "make &> log"}, {Text: "make test >& log"}}},
		{"(cd a; echo $(date | wc)) ; echo `a; b`",
			[]Segment{{Text: "(cd a"}, {"echo $(date", true}, {Text: "wc))"}, {Text: "echo `a; b`"}}},
		{"cat <<A | wc -l\none; two\nA\nmake", []Segment{{"cat <<A", true}, {Text: "wc -l"}, {Text: "make"}}},
		{"cat <<< 'x\ny'\nmake", []Segment{{Text: "cat <<< 'x\ny'"}, {Text: "make"}}},
		{"echo 'unterminated; a", []Segment{{Text: "echo 'unterminated; a"}}},
	} {
		if diff := cmp.Diff(c.want, Segments(c.line)); diff != "" {
			t.Errorf("%q:\n%s", c.line, diff)
		}
	}
}

// FuzzSegments: segments are parts of the line, in its order, and cutting one again does not cut more off.
func FuzzSegments(f *testing.F) {
	f.Add("cd a && (b 'c;d' | e) 2>&1 <<F; g\nh\nF\ni")
	f.Add("<<<<<<a\\\n`b;c` &>d")
	f.Fuzz(func(t *testing.T, line string) {
		rest := line
		for _, s := range Segments(line) {
			at := strings.Index(rest, s.Text)
			if at < 0 || s.Text == "" {
				t.Fatalf("%q is not in %q", s.Text, rest)
			}
			rest = rest[at+len(s.Text):]
			if again := Segments(s.Text); len(again) > 1 {
				t.Fatalf("%q is cut into %v", s.Text, again)
			}
		}
	})
}
