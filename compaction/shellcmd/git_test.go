package shellcmd

import (
	"reflect"
	"strings"
	"testing"

	"ctxledger.dev/internal/shell"
)

// Every usual form of a commit is known as one. Only some quoted messages were: what a session committed otherwise
// was "not recorded".
func TestCommitsOfACommandLine(t *testing.T) {
	tax, quiet := Commit{Subject: "tax"}, Commit{Subject: "tax", Quiet: true}
	for _, c := range []struct {
		line string
		want []Commit
	}{
		{"git commit -m tax", []Commit{tax}},
		{"go build ./... && git add -A && git commit -qm tax", []Commit{quiet}},
		{"git commit -q -m 'tax it'", []Commit{{Subject: "tax it", Quiet: true}}},
		{`git commit -aqm "tax it" -m "the second paragraph"`, []Commit{{Subject: "tax it", Quiet: true}}},
		{"git commit -mtax a.go", []Commit{tax}},
		{"git commit --message=tax --quiet", []Commit{quiet}},
		{"git commit --message tax --author 'A <a@b>'", []Commit{tax}},
		{"git commit -q -F msg.txt", []Commit{{Quiet: true}}},
		{"git commit -F - <<'EOF'\ntax\n\nwhy\nEOF", []Commit{tax}},
		{"git commit -qm \"$(cat <<'EOF'\ntax\n\nwhy\nEOF\n)\" && git status", []Commit{quiet}},
		{`git commit -m "$(date)"`, []Commit{{}}},
		{"git commit --amend --no-edit -q", []Commit{{Amends: true, Quiet: true}}},
		{"git commit --amend -qm tax", []Commit{{Subject: "tax", Amends: true, Quiet: true}}},
		{"git commit -S -s -m tax", []Commit{tax}},
		{"git commit --fixup HEAD~2", []Commit{{}}},
		{"git -C . commit -qm tax", []Commit{quiet}},
		{"git -c user.name=x -c user.email='x y' --no-pager commit -qm tax", []Commit{quiet}},
		{"git --git-dir=.git --work-tree . commit -m tax", []Commit{tax}},
		{"GIT_AUTHOR_NAME=x timeout 30 /usr/bin/git commit -m tax", []Commit{tax}},
		{"if git commit -m tax; then echo yes; fi", []Commit{tax}},
		{"(cd a && git commit -m tax)", []Commit{tax}},
		{"git commit -qm tax a.go && git commit -m 'b c' b.go", []Commit{quiet, {Subject: "b c"}}},
		{"git commit -m tax || git commit -m again", []Commit{tax, {Subject: "again", Instead: true}}},
		{"git commit --dry-run", nil},
		{"git log --grep 'git commit -m tax'", nil},
		{"echo git commit -m tax", nil},
		{"git commit-tree HEAD^{tree} -m tax", nil},
		{"git show -- commit", nil},
		{"digit commit -m tax", nil},
	} {
		if got := Commits(c.line); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.line, got, c.want)
		}
	}
}

// A message is read back from each way of giving it, and a line without one never has a subject that it does not hold.
func FuzzCommits(f *testing.F) {
	f.Add("tax it", "git -C a commit -qm x && git commit --amend")
	f.Add("-m \"'$\\", "git commit -F - <<E\nx\nE")
	f.Fuzz(func(t *testing.T, message, line string) {
		if first := subject(message); !strings.HasPrefix(message, "$(") && !strings.Contains(message, "\x00") {
			word := shell.Quote(message)
			for _, form := range []string{"git commit -m ", "git -c a=b commit -qam ", "git commit --amend --message ",
				"git commit --message="} {
				got := Commits("ls && " + form + word + "; git status")
				if len(got) != 1 || got[0].Subject != first {
					t.Errorf("%s%s: %+v, want %q", form, word, got, first)
				}
			}
		}
		for _, c := range Commits(line) {
			if len(c.Subject) > len(line)+len("…") || strings.Contains(c.Subject, "\n") {
				t.Errorf("%q: subject %q", line, c.Subject)
			}
		}
	})
}
