package engine_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"ctxledger.dev/ledger"
)

func TestStaleReadsNameWhoeverChangedTheFile(t *testing.T) {
	l, _ := openIn(t, t.TempDir(), "/w")
	a := &agent{t: t, l: l, name: "a", dir: "/w"}
	a.prompt(at(0))
	for i, p := range []string{"ext", "sev", "own", "same"} {
		a.call(at(1), fmt.Sprint("r", i), "Read", fmt.Sprintf(`{"file_path":%q}`, p))
		observe(t, l, is(p, "1", at(-9), at(2)))
	}
	observe(t, l, is("ext", "2", at(5), at(6)))
	a.call(at(10), "e", "Edit", `{"file_path":"own"}`)
	a.result(at(12), "e", false)
	observe(t, l, is("own", "2", at(11), at(13)), is("same", "1", at(11), at(13)))
	for i := range 2 {
		b := &agent{t: t, l: l, name: fmt.Sprint("b", i), dir: "/w"}
		b.call(at(20), "c", "Bash", `{"command":"make"}`)
	}
	observe(t, l, is("sev", "2", at(21), at(22)))
	resp, err := l.Changes(t.Context(), ledger.ChangesRequest{Session: a.session})
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, s := range resp.Stale {
		got += s.Path + " " + s.By + ", "
	}
	if got != "ext external, sev several, " {
		t.Errorf("stale: %s", got)
	}
}

// TestAFileThatIsRestoredIsFreshAgain: to add a case, add a row. The states are contents with the minutes when they
// came; "own" is an edit of the session that read the file in minute 1.
func TestAFileThatIsRestoredIsFreshAgain(t *testing.T) {
	for _, c := range []struct {
		name, states string
		stale        bool
	}{
		{"changed", "1@-9 2@5", true},
		{"restored", "1@-9 2@5 1@7", false},
		{"restored after several changes", "1@-9 2@5 3@6 1@7", false},
		{"restored and changed again", "1@-9 2@5 1@7 2@9", true},
		{"what it was before is not what was read", "0@-9 1@-5 2@5 0@7", true},
		{"back to what was read, over an edit of the session's own", "1@-9 own@4 1@8", true},
		{"back to the session's own edit", "1@-9 own@4 3@8 2@9", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, _ := openIn(t, t.TempDir(), "/w")
			a := &agent{t: t, l: l, name: "a", dir: "/w"}
			a.prompt(at(-20))
			read := false
			for _, state := range strings.Fields(c.states) {
				content, when, _ := strings.Cut(state, "@")
				minute, err := strconv.ParseFloat(when, 64)
				if err != nil {
					t.Fatal(err)
				}
				if minute > 1 && !read {
					a.call(at(1), "r", "Read", `{"file_path":"f"}`)
					a.result(at(1), "r", false)
					read = true
				}
				if content == "own" {
					a.call(at(minute-1), "e", "Edit", `{"file_path":"f"}`)
					a.result(at(minute+0.5), "e", false)
					content = "2"
				}
				observe(t, l, is("f", content, at(minute), at(minute+0.2)))
			}
			resp, err := l.Changes(t.Context(), ledger.ChangesRequest{Session: a.session})
			if err != nil {
				t.Fatal(err)
			}
			if got := len(resp.Stale) > 0; got != c.stale {
				t.Errorf("stale is %v: %+v", got, resp.Changes)
			}
		})
	}
}
