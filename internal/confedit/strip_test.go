package confedit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// scribble writes servers of ours and of others with white space and comments wherever these may be.
type scribble struct {
	*rand.Rand
	text     strings.Builder
	n        int      // how many comments there are
	comments []string // those that are to stay
}

// space writes white space and comments, or nothing.
func (s *scribble) space() {
	for range s.IntN(3) {
		s.n++
		switch s.IntN(5) {
		case 0:
			c := fmt.Sprintf("// %d, \"}", s.n) + strings.Repeat(" ", s.IntN(2))
			s.comments = append(s.comments, c)
			s.text.WriteString(c + []string{"\n", "\r\n"}[s.IntN(2)])
		case 1:
			c := fmt.Sprintf("/* %d // */", s.n)
			s.comments = append(s.comments, c)
			s.text.WriteString(c)
		case 2:
			s.text.WriteString([]string{"\n", "\r\n", "\n\t\n"}[s.IntN(3)])
		default:
			s.text.WriteString([]string{" ", "\t", "    "}[s.IntN(3)])
		}
	}
}

// put writes a part with space around it.
func (s *scribble) put(part string) {
	s.space()
	s.text.WriteString(part)
	s.space()
}

// servers writes an object with some servers, and returns the names of those of others.
func (s *scribble) servers() (theirs []string) {
	s.put("{")
	n := s.IntN(6)
	for i := range n {
		name, ours := fmt.Sprintf("theirs%d", i), s.IntN(2) == 0
		if ours {
			name = fmt.Sprintf("ours%d", i)
		} else {
			theirs = append(theirs, name)
		}
		s.space()
		before := len(s.comments)
		s.text.WriteString(`"` + name + `"`)
		s.put(":")
		if ours { // what is inside it goes with it
			s.comments = s.comments[:before]
		}
		s.text.WriteString(`{"command":"//"}`)
		s.space()
		if i < n-1 || s.IntN(3) == 0 {
			s.put(",")
		}
	}
	s.put("}")
	return theirs
}

// TestNoCommentSwallowsWhatIsBehindIt: whatever white space and comments are around servers of ours, those of others and all
// comments are there when ours are gone, in their order. A comment that ends with its line had swallowed the server behind
// ours in the same line.
func TestNoCommentSwallowsWhatIsBehindIt(t *testing.T) {
	for seed := range uint64(10_000) {
		s := &scribble{Rand: rand.New(rand.NewPCG(36, seed))}
		s.text.WriteString(`{"servers":`)
		want := s.servers()
		s.text.WriteString("}")
		text := s.text.String()
		out, err := Strip([]byte(text), func(path []string, _ json.RawMessage, _ int) Verdict {
			switch {
			case len(path) == 1:
				return Enter
			case strings.HasPrefix(path[1], "ours"):
				return Take
			}
			return Keep
		}, FormerUnknown)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		tree, err := parse(out)
		if err != nil {
			t.Fatal(err)
		}
		v, _, err := tree.walk([]string{"servers"})
		if err != nil {
			t.Fatal(err)
		}
		items, _ := tree.items(v)
		var got []string
		for _, x := range items {
			got = append(got, x.name)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q became %q", text, out)
		}
		rest := out
		for _, c := range s.comments {
			at := bytes.Index(rest, []byte(c))
			if at < 0 {
				t.Fatalf("%q became %q, without %q", text, out, c)
			}
			rest = rest[at+len(c):]
		}
	}
}
