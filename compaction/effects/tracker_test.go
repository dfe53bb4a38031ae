package effects

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each case is a session, a turn a line, and what became of its files. Steps:
//
//	edit PATH | old | new     all PATH | old | new     delete PATH     move A | B     copy A | B
//	write PATH | text         create PATH | text       read PATH | text
//	$ command that succeeded  ! command that failed
//
// "/" at the start of an edit's text is a line break. A result is "state path", what undid it with its turn ("?" for
// perhaps), lost edits ("lost 1"), names added (+), removed (-) and changed (~), and the first line in quotes.
var sessions = []struct{ name, steps, want string }{
	{"an edit", "edit a.go | x | func A() {}", "changed a.go +A"},
	{"checkout restores a file", "edit a.go | x | func A() {}\n$ git checkout -- a.go", "undone a.go git checkout 2 lost 1"},
	{"checkout without dashes", "edit a.go | x | func A() {}\n$ git checkout a.go", "undone a.go git checkout 2 lost 1"},
	{"a branch is not a file", "edit a.go | x | func A() {}\n$ git checkout main", "changed a.go +A"},
	{"everything", "edit a/a.go | x | func A() {}\n$ git checkout .", "undone a/a.go git checkout 2 lost 1"},
	{"a directory below", "edit a/a.go | x | func A() {}\nedit b.go | x | func B() {}\n$ cd a && git checkout .",
		"undone a/a.go git checkout 3 lost 1\nchanged b.go +B"},
	{"a revision, nothing committed", "edit a.go | x | func A() {}\n$ git checkout origin/main -- a.go",
		"undone a.go git checkout 2 lost 1"},
	{"a revision without dashes", "edit a.go | x | func A() {}\n$ git checkout HEAD a.go", "undone a.go git checkout 2 lost 1"},
	{"a failed command undoes nothing", "edit a.go | x | func A() {}\n! git checkout -- a.go", "changed a.go +A"},
	{"a chain that failed later", "edit a.go | x | func A() {}\n! git checkout -- a.go && make",
		"changed a.go git checkout 2? +A"},
	{"with an alternative", "edit a.go | x | func A() {}\n$ git checkout -- a.go || true", "changed a.go git checkout 2? +A"},
	{"in a directory", "edit w/a.go | x | func A() {}\n$ cd w && git checkout -- a.go", "undone w/a.go git checkout 2 lost 1"},
	{"with -C", "edit w/a.go | x | func A() {}\n$ git -C /s/w checkout -- a.go", "undone w/a.go git checkout 2 lost 1"},
	{"in a subshell", "edit a.go | x | func A() {}\n$ (cd w && ls) && git checkout -- \"a.go\"", "undone a.go git checkout 2 lost 1"},
	{"in another shell", "edit a.go | x | func A() {}\n$ bash -lc 'git checkout -- a.go'", "undone a.go git checkout 2 lost 1"},
	{"in an unknown directory", "edit w/a.go | x | func A() {}\n$ cd $W && git checkout -- a.go", "changed w/a.go git checkout 2? +A"},
	{"under a condition", "edit a.go | x | func A() {}\n$ if make; then git checkout -- a.go; fi", "changed a.go git checkout 2? +A"},
	{"words of a commit message", "edit a.go | x | func A() {}\n$ git commit -m \"$(cat <<'E'/say \"no\"; git checkout -- a.go/E/)\"",
		"changed a.go +A"},
	{"operands that are not known", "edit a.go | x | func A() {}\n$ git diff --name-only | xargs git checkout --",
		"changed a.go git checkout 2? +A"},
	{"committed edits stay", "edit a.go | x | func A() {}\n$ git commit -am one\nedit a.go | y | func B() {}\n$ git checkout -- a.go",
		"changed a.go git checkout 4 lost 1 +A"},
	{"staged edits stay", "edit a.go | x | func A() {}\n$ git add a.go\nedit a.go | y | func B() {}\n$ git restore a.go",
		"changed a.go git restore 4 lost 1 +A"},
	{"a commit that may have failed", "edit a.go | x | func A() {}\n! git commit -am one && git push\n$ git checkout -- a.go",
		"changed a.go git checkout 3? +A"},
	{"a commit of another repository", "edit a.go | x | func A() {}\n$ cd /x && git init && git add -A && git commit -m i\n$ git checkout .",
		"undone a.go git checkout 3 lost 1"},
	{"restore", "edit a.go | x | func A() {}\n$ git restore a.go", "undone a.go git restore 2 lost 1"},
	{"restore of the index alone", "edit a.go | x | func A() {}\n$ git add -A\n$ git restore --staged a.go", "changed a.go +A"},
	{"restore of both", "edit a.go | x | func A() {}\n$ git add -A\n$ git restore -SW a.go", "undone a.go git restore 3 lost 1"},
	{"restore from a revision", "edit a.go | x | func A() {}\n$ git restore --source=HEAD~3 a.go", "undone a.go git restore 2 lost 1"},
	{"restore from an unknown commit", "edit a.go | x | func A() {}\n$ git commit -am a\n$ git restore -s 1a2b3c a.go",
		"changed a.go git restore 3? +A"},
	{"restore behind two commits",
		"edit a.go | x | func A() {}\n$ git commit -am a\nedit a.go | y | func B() {}\n$ git commit -am b\n$ git restore -s HEAD^ a.go",
		"changed a.go git restore 5? +A,B"},
	{"reset --hard", "edit a.go | x | func A() {}\ncreate b.go | func B() {}\n$ git reset --hard",
		"undone a.go git reset --hard 3 lost 1\ncreated b.go +B"},
	{"reset --hard behind a commit", "edit a.go | x | func A() {}\n$ git add . && git commit -m a\n$ git reset --hard HEAD~1",
		"changed a.go git reset --hard 3? +A"},
	{"reset --hard to an unknown commit", "edit a.go | x | func A() {}\n$ git commit -am a\n$ git reset --hard 1a2b3c",
		"changed a.go git reset --hard 3? +A"},
	{"reset without --hard", "edit a.go | x | func A() {}\n$ git reset HEAD a.go", "changed a.go +A"},
	{"soft reset, then checkout", "edit a.go | x | func A() {}\n$ git commit -am a\n$ git reset HEAD~1\n$ git checkout -- a.go",
		"changed a.go git checkout 4? +A"},
	{"soft reset, then another commit", "edit a.go | x | func A() {}\n$ git commit -am a\n$ git reset --soft HEAD~1\n$ git commit -m b\n" +
		"edit a.go | y | func B() {}\n$ git checkout -- a.go", "changed a.go git checkout 6 lost 1 +A"},
	{"reset of the index, then another commit", "edit a.go | x | func A() {}\n$ git commit -am a\n$ git reset HEAD~1\n$ git commit -m b\n" +
		"$ git checkout -- a.go", "changed a.go git checkout 5? +A"},
	{"clean of all", "create a.go | func A() {}\nedit b.go | x | func B() {}\n$ git clean -fdx",
		"created a.go git clean 3? +A\nchanged b.go +B"},
	{"clean may keep ignored files", "create a.go | func A() {}\n$ git clean -fd", "created a.go git clean 2? +A"},
	{"clean keeps staged files", "create a.go | func A() {}\n$ git add a.go\n$ git clean -fdx", "created a.go +A"},
	{"clean leaves the index", "create a.go | func A() {}\n$ git add a.go\n$ git clean -fd\n$ git commit -m a\nedit a.go | y | func B() {}\n" +
		"$ git checkout -f -- a.go", "created a.go git checkout 6 lost 1 +A"},
	{"a dry clean", "create a.go | func A() {}\n$ git clean -ndx", "created a.go +A"},
	{"stash", "edit a.go | x | func A() {}\n$ git stash", "changed a.go git stash 2? +A"},
	{"stash and pop", "edit a.go | x | func A() {}\n$ git stash\n$ git stash pop", "changed a.go +A"},
	{"stash and a failed pop", "edit a.go | x | func A() {}\n$ git stash\n! git stash pop", "changed a.go git stash 2? +A"},
	{"stash in one line", "edit a.go | x | func A() {}\n$ git stash; go test ./...; git stash pop", "changed a.go +A"},
	{"stash and drop", "edit a.go | x | func A() {}\n$ git stash push -m wip\n$ git stash drop", "changed a.go git stash drop 3? +A"},
	{"stash of one path", "edit a.go | x | func A() {}\nedit b.go | x | func B() {}\n$ git stash push -- b.go\n$ git stash drop",
		"changed a.go +A\nchanged b.go git stash drop 4? +B"},
	{"stash leaves untracked files", "create a.go | func A() {}\n$ git stash\n$ git stash drop", "created a.go +A"},
	{"stash -u takes them", "create a.go | func A() {}\n$ git stash -u\n$ git stash drop", "created a.go git stash drop 3? +A"},
	{"stash, checkout and pop", "edit a.go | x | func A() {}\n$ git stash\n$ git checkout .\n$ git stash pop", "changed a.go +A"},
	{"stash and checkout", "edit a.go | x | func A() {}\n$ git stash\n$ git checkout .", "changed a.go git stash 2? +A"},
	{"two stashes, one pop", "edit a.go | x | func A() {}\n$ git stash\nedit b.go | x | func B() {}\n$ git stash\n$ git stash pop",
		"changed a.go git stash 2? +A\nchanged b.go git stash 4? +B"},
	{"stash and drop, then stash and pop", "edit a.go | x | func A() {}\n$ git stash\n$ git stash drop\nedit b.go | x | func B() {}\n" +
		"$ git stash; git stash pop", "changed a.go git stash drop 3? +A\nchanged b.go +B"},
	{"rm and stash", "read a.go\n$ rm a.go\n$ git stash", "deleted a.go git stash 2?"},
	{"edits around a stash", "edit a.go | x | func A() {}\n$ git stash\nedit a.go | y | func B() {}\n$ git stash pop", "changed a.go +A,B"},
	{"stash list", "edit a.go | x | func A() {}\n$ git stash list", "changed a.go +A"},
	{"revert of the newest commit", "edit a.go | x | func A() {}\n$ git commit -am a\n$ git revert --no-edit HEAD",
		"changed a.go git revert 3? +A"},
	{"revert of a move", "read a.go\n$ git mv a.go b.go\n$ git commit -m b\n$ git revert HEAD", "deleted a.go git revert 3?\nmoved b.go from a.go git revert 3?"},
	{"revert of some commit", "edit a.go | x | func A() {}\n$ git commit -am a\n$ git revert 1a2b3c", "changed a.go git revert 3? +A"},
	{"revert leaves what is not committed", "edit a.go | x | func A() {}\n$ git revert HEAD", "changed a.go +A"},
	{"apply -R", "edit a.go | x | func A() {}\n$ git apply -R x.patch", "changed a.go git apply -R 2? +A"},
	{"apply -R of a diff", "edit a.go | x | func A() {}\nedit b.go | x | func B() {}\n$ git diff -- a.go | git apply -R",
		"changed a.go git apply -R 3? +A\nchanged b.go git apply -R 3? +B"},
	{"switch that discards", "edit a.go | x | func A() {}\n$ git switch --discard-changes main", "changed a.go git switch 2? +A"},
	{"a checkout that discards, then an edit of what was there before", "edit a.go | x | func A() {}/x\n$ git checkout -f\n" +
		"edit a.go | x | func B() {}/x", "changed a.go git checkout 2? +A,B"},
	{"an aborted merge", "edit a.go | x | func A() {}\n$ git merge --abort", "changed a.go git merge --abort 2? +A"},
	{"git rm", "$ git rm old.go", "deleted old.go git rm 1"},
	{"git rm --cached", "edit a.go | x | func A() {}\n$ git rm --cached a.go", "changed a.go +A"},
	{"rm of a created file", "create a.go | func A() {}\n$ rm a.go", "undone a.go rm 2 lost 1"},
	{"rm of another file", "read a.go\n$ rm -f a.go", "deleted a.go rm 1"},
	{"rm of what nobody knew", "$ rm -f out.txt && rm /x/y.go", ""},
	{"rm of a directory", "create d/a.go | func A() {}\nedit d/b.go | x | y\n$ rm -rf d", "undone d/a.go rm 3 lost 1\ndeleted d/b.go rm 3 lost 1"},
	{"rm by pattern", "create a_x.go | func A() {}\ncreate b.go | func B() {}\n$ rm *_x.go", "undone a_x.go rm 3 lost 1\ncreated b.go +B"},
	{"rm, then checkout", "read a.go\n$ rm a.go\n$ git checkout -- a.go", ""},
	{"rm, then written again", "create a.go | func A() {}\n$ rm a.go\nwrite a.go | func B() {}", "created a.go rm 2 lost 1 +B"},
	{"a work tree is a place of its own", "edit .worktrees/w/a.go | x | func A() {}\n$ git reset --hard", "changed .worktrees/w/a.go +A"},

	{"an edit taken back", "edit a.go | x | func A() {}\nedit a.go | func A() {} | x", "undone a.go edit 2 lost 2"},
	{"a chain that comes back", "edit a.go | one | two\nedit a.go | two | three\nedit a.go | three | one", "undone a.go edit 3 lost 3"},
	{"a change inside, then all back", "edit a.go | // x | // x/func A() { a() }\nedit a.go | a() | b()\nedit a.go | // x/func A() { b() } | // x",
		"undone a.go edit 3 lost 3"},
	{"taken back with its surroundings", "edit a.go | value := 1 | value := 2\nedit a.go | if ok { value := 2 } | if ok { value := 1 }",
		"undone a.go edit 2 lost 2"},
	{"one of two taken back", "edit a.go | x | func A() {}\nedit a.go | y | func B() {}\nedit a.go | func A() {} | x", "changed a.go edit 3 lost 2 +B"},
	{"every occurrence back", "all a.go | Foo | Bar\nall a.go | Bar | Foo", "undone a.go edit 2 lost 2"},
	{"written as before", "read a.go | func A() {}\nedit a.go | A | B\nwrite a.go | func A() {}", "undone a.go edit 2 lost 2"},
	{"edited to what was read", "read a.go | func A() {}//func C() {}\nedit a.go | A() | B()\nedit a.go | func B | func A", "undone a.go edit 2 lost 2"},
	{"a name that came and went", "edit a.go | x | x/func A() {}/\nedit a.go | y | y/func B() {}/\nedit a.go | func A() {}/ | ",
		"changed a.go +B"},
	{"a created file has its last names", "create a.go | func A() {}//func B() {}\nedit a.go | func B() {} | func C() {}", "created a.go +A,C"},
	{"a function that moved in its file", "edit a.go | func A() {}/x | x\nedit a.go | y | y/func A() {}", "changed a.go ~A"},
	{"a body that changed", "edit a.go | func A() { one() } | func A() { two() }", "changed a.go ~A"},
	{"nothing declared", "edit a.go | return nil | return fmt.Errorf(\"no price\")", `changed a.go "return fmt.Errorf("no price")"`},
	{"a file written over", "read a.go\nwrite a.go | func A() {}", "changed a.go ~A"},
	{"a file written over, known", "read a.go | func A() {}\nwrite a.go | func B() {}", "changed a.go +B -A"},
	{"a here-document", "$ cat > a.py <<'E'/def a(): pass/E", "created a.py +a"},
	{"a here-document behind a file", "read a.py\n$ cat >> a.py <<'E'/def a(): pass/E", "changed a.py +a"},
	{"sed", "$ sed -i 's/a/b/' a.go\n$ git checkout a.go", "undone a.go git checkout 2 lost 1"},
	{"show over the file", "edit a.go | x | func A() {}\n$ git show HEAD:a.go > a.go", "changed a.go git show 2? +A"},
	{"a doubt that a later edit settles", "edit a.go | x | func A() {}\n$ git apply -R p\nedit a.go | A() {} | A() { a() }", "changed a.go +A"},
	{"a file outside", "edit /x/a.go | x | func A() {}\n$ git reset --hard\n$ cd /x && git checkout -- a.go", "undone /x/a.go git checkout 3 lost 1"},
	{"an absolute path below", "edit /s/a.go | x | func A() {}\n$ git restore /s/a.go", "undone a.go git restore 2 lost 1"},
	{"another system's paths", `edit C:\w\a.go | x | func A() {}`, "changed C:/w/a.go +A"},
	{"a deletion by a tool", "delete a.go", "deleted a.go delete 1"},
	{"a move", "edit a.go | x | func A() {}\nmove a.go | b.go", "moved b.go from a.go +A"},
	{"there and back", "edit a.go | x | func A() {}\n$ git mv a.go b.go\n$ git mv b.go a.go", "changed a.go +A"},
	{"a created file moves", "create a.go | func A() {}\n$ mv a.go b.go", "created b.go +A"},
	{"a move undone", "read a.go\n$ git mv a.go b.go\n$ git reset --hard", ""},
	{"a directory moves", "create d/a.go | func A() {}\n$ mv d e", "created e/a.go +A"},
	{"a copy", "read a.go\n$ cp a.go b.go", "created b.go from a.go"},
}

// turns runs the steps of a session; reading takes no turn.
func turns(t *Tracker, steps string) {
	turn := 0
	for line := range strings.SplitSeq(steps, "\n") {
		verb, rest, _ := strings.Cut(line, " ")
		args := strings.Split(rest, " | ")
		args = append(args, "", "")
		if verb == "read" {
			t.Known(args[0], strings.ReplaceAll(args[1], "/", "\n"))
			continue
		}
		turn++
		seq := int64(turn)
		for i := range args[1:] {
			if verb != "move" && verb != "copy" && !strings.HasPrefix(args[i+1], "// x") {
				args[i+1] = strings.ReplaceAll(args[i+1], "/", "\n")
			} else if strings.HasPrefix(args[i+1], "// x") {
				args[i+1] = "// x" + strings.ReplaceAll(args[i+1][4:], "/", "\n")
			}
		}
		switch verb {
		case "edit", "all":
			t.Edit(turn, seq, Edit{Path: args[0], Old: args[1], New: args[2], All: verb == "all"})
		case "write", "create":
			t.Edit(turn, seq, Edit{Path: args[0], New: args[1], Whole: true, Created: verb == "create"})
		case "delete":
			t.Delete(turn, seq, args[0])
		case "move":
			t.Move(turn, seq, args[0], args[1])
		case "copy":
			t.Copy(turn, seq, args[0], args[1])
		case "$", "!":
			if i := strings.Index(rest, "<<'E'"); i >= 0 {
				rest = rest[:i+5] + strings.ReplaceAll(rest[i+5:], "/", "\n")
			}
			t.Shell(turn, seq, rest, verb == "$")
		}
	}
}

func (f File) text() string {
	s := fmt.Sprintf("%s %s", f.State, f.Path)
	if f.From != "" {
		s += " from " + f.From
	}
	if f.By != "" {
		s += fmt.Sprintf(" %s %d", f.By, f.ByTurn)
	}
	if f.Maybe {
		s += "?"
	}
	if f.Lost > 0 {
		s += fmt.Sprintf(" lost %d", f.Lost)
	}
	for _, l := range []struct {
		mark  string
		names []string
	}{{"+", f.Added}, {"-", f.Removed}, {"~", f.Changed}} {
		if len(l.names) > 0 {
			s += " " + l.mark + strings.Join(l.names, ",")
		}
	}
	if f.First != "" {
		s += fmt.Sprintf(" \"%s\"", f.First)
	}
	return s
}

// TestWithoutADirectoryPathsAreMatchedByTheirEnds: such a match is never certain.
func TestWithoutADirectoryPathsAreMatchedByTheirEnds(t *testing.T) {
	tr := &Tracker{}
	turns(tr, "edit /s/w/a.go | x | func A() {}\n$ git checkout -- w/a.go")
	if got := tr.Files(); len(got) != 1 || got[0].text() != "changed /s/w/a.go git checkout 2? +A" {
		t.Errorf("%+v", got)
	}
}

func TestTheNetEffectOfASession(t *testing.T) {
	for _, c := range sessions {
		t.Run(c.name, func(t *testing.T) {
			tr := &Tracker{Dir: "/s"}
			turns(tr, c.steps)
			var got []string
			for _, f := range tr.Files() {
				got = append(got, f.text())
			}
			if diff := cmp.Diff(strings.Split(c.want, "\n"), strings.Split(strings.Join(got, "\n"), "\n")); diff != "" {
				t.Error(diff)
			}
		})
	}
}
