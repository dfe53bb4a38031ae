package window

import (
	"strings"
	"testing"
)

// Lines of a file that are shown twice are shown once, whatever printed them. A result has the lines of every shorter one here.
func TestLinesOfAFileAreShownOnce(t *testing.T) {
	for _, c := range []struct{ name, log, want string }{
		{"what is printed of a file that was read, in part", "ask 9\nread a.go 400\nshell sed_-n_1,5p_a.go 300\nread b.go 9\nsay 5",
			"repeated_text result shell-3-0"},
		{"of the same text from two tools the older one", "ask 9\nread a.go 400\nshell cat_a.go 400\nread b.go 9\nsay 5",
			"repeated_text result read-1-0"},
		{"a part that a tool reads again", "ask 9\nread d/a.go 400\nread a.go 300 part\nread b.go 9\nsay 5",
			"repeated_text result read-3-0"},
		{"what is printed last stays", "ask 9\nread a.go 400\nshell sed_-n_1,5p_a.go 300\nsay 5", ""},
		{"a part of a part points to the whole", "ask 9\nshell head_a.go 100\nshell head_-20_a.go 200\nread a.go 400\nread b.go 9\n" +
			"say 5", "repeated_text result shell-1-0\nrepeated_text result shell-3-0"},
		{"another file", "ask 9\nread a.go 400\nshell cat_c.go 400\nread b.go 9\nsay 5", ""},
		{"another command", "ask 9\nread a.go 400\nshell grep_x_a.go 300\nread b.go 9\nsay 5", ""},
		{"a failed read", "ask 9\nread a.go 400 fail\nshell cat_a.go 300\nread b.go 9\nsay 5", ""},
		{"no pointer leads to what a later call supersedes", "ask 9\nshell cat_a.go 400\nshell head_a.go 300\nshell cat_a.go 200\n" +
			"read b.go 9\nsay 5", "repeated_command result shell-1-0\nrepeated_text result shell-5-0"},
	} {
		p := Default()
		p.BatchChars, p.Clear.Trigger = 1, 0
		l, edits, st := script(t, c.log), []Edit(nil), always
		size := func(p Printed) (n int) {
			for _, r := range l.entries[p.Seq-1].Results {
				n += r.Chars
			}
			return n
		}
		st.Within = func(part, whole Printed) bool { return size(part) <= size(whole) }
		d := l.decide(t, &edits, p, st)
		for _, e := range d.Edits {
			for _, gone := range d.Edits {
				made := l.entries[gone.Seq-2].Calls[0]
				if e.Pass == "repeated_text" && strings.Contains(e.Text, made.Name+"("+made.Target+")") {
					t.Errorf("%s: %q points to what is gone, too", c.name, e.Text)
				}
			}
		}
		if got := listEdits(d.Edits); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if again := l.decide(t, &edits, p, st); len(again.Edits) > 0 {
			t.Errorf("%s: again %s", c.name, listEdits(again.Edits))
		}
	}
}
