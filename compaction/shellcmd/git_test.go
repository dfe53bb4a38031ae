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
	tax, quiet := commit{Subject: "tax"}, commit{Subject: "tax", Quiet: true}
	for _, c := range []struct {
		line string
		want []commit
	}{
		{"git commit -m tax", []commit{tax}},
		{"go build ./... && git add -A && git commit -qm tax", []commit{quiet}},
		{"git commit -q -m 'tax it'", []commit{{Subject: "tax it", Quiet: true}}},
		{`git commit -aqm "tax it" -m "the second paragraph"`, []commit{{Subject: "tax it", Quiet: true}}},
		{"git commit -mtax a.go", []commit{tax}},
		{"git commit --message=tax --quiet", []commit{quiet}},
		{"git commit --message tax --author 'A <a@b>'", []commit{tax}},
		{"git commit -q -F msg.txt", []commit{{Quiet: true}}},
		{"git commit -F - <<'EOF'\ntax\n\nwhy\nEOF", []commit{tax}},
		{"git commit -qm \"$(cat <<'EOF'\ntax\n\nwhy\nEOF\n)\" && git status", []commit{quiet}},
		{`git commit -m "$(date)"`, []commit{{}}},
		{"git commit --amend --no-edit -q", []commit{{Amends: true, Quiet: true}}},
		{"git commit --amend -qm tax", []commit{{Subject: "tax", Amends: true, Quiet: true}}},
		{"git commit -S -s -m tax", []commit{tax}},
		{"git commit --fixup HEAD~2", []commit{{}}},
		{"git -C . commit -qm tax", []commit{quiet}},
		{"git -c user.name=x -c user.email='x y' --no-pager commit -qm tax", []commit{quiet}},
		{"git --git-dir=.git --work-tree . commit -m tax", []commit{tax}},
		{"GIT_AUTHOR_NAME=x timeout 30 /usr/bin/git commit -m tax", []commit{tax}},
		{"if git commit -m tax; then echo yes; fi", []commit{tax}},
		{"(cd a && git commit -m tax)", []commit{tax}},
		{"git commit -qm tax a.go && git commit -m 'b c' b.go", []commit{quiet, {Subject: "b c"}}},
		{"git commit -m tax || git commit -m again", []commit{tax, {Subject: "again", Instead: true}}},
		{"git commit --dry-run", nil},
		{"git log --grep 'git commit -m tax'", nil},
		{"echo git commit -m tax", nil},
		{"git commit-tree HEAD^{tree} -m tax", nil},
		{"git show -- commit", nil},
		{"digit commit -m tax", nil},
	} {
		if got := commitsIn(c.line); !reflect.DeepEqual(got, c.want) {
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
				got := commitsIn("ls && " + form + word + "; git status")
				if len(got) != 1 || got[0].Subject != first {
					t.Errorf("%s%s: %+v, want %q", form, word, got, first)
				}
			}
		}
		for _, c := range commitsIn(line) {
			if len(c.Subject) > len(line)+len("…") || strings.Contains(c.Subject, "\n") {
				t.Errorf("%q: subject %q", line, c.Subject)
			}
		}
	})
}
