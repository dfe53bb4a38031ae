package effects

import (
	"path"
	"slices"
	"strings"

	"ctxledger.dev/internal/paths"
)

// git takes a command of git.
func (c *call) git() {
	sub, args := c.subcommand()
	c.by = "git " + sub
	run, known := gitCommands[sub]
	if !known {
		return
	}
	if has(args, "-p", "--patch", "-i", "--interactive") {
		c.sure = false
	}
	run(c, args)
}

// gitCommands are the commands that are followed: a row each. Of what others may have taken away there is only a doubt.
var gitCommands = map[string]func(c *call, args []string){
	"add":         (*call).add,
	"stage":       (*call).add,
	"commit":      (*call).commit,
	"checkout":    (*call).checkout,
	"restore":     (*call).restore,
	"reset":       (*call).reset,
	"rm":          (*call).gitRemove,
	"worktree":    (*call).worktree,
	"init":        (*call).newRoot,
	"clone":       (*call).newRoot,
	"stash":       (*call).stash,
	"revert":      (*call).revert,
	"clean":       doubting("", untracked, "-f", "--force"),
	"switch":      discarding("", "--discard-changes", "-f", "--force"),
	"apply":       doubting(" -R", everything, "-R", "--reverse"),
	"merge":       discarding(" --abort", "--abort"),
	"rebase":      discarding(" --abort", "--abort"),
	"pull":        discarding(" --abort", "--abort"),
	"cherry-pick": discarding(" --abort", "--abort"),
	"am":          discarding(" --abort", "--abort"),
}

// doubting returns what notes the doubt that a command with one of some flags leaves.
func doubting(by string, back func(*file) version, flags ...string) func(c *call, args []string) {
	return func(c *call, args []string) {
		if has(args, flags...) &&
			!has(args, "-n", "--dry-run", "--check", "--stat", "--numstat", "--summary", "--cached") {
			c.by += by
			c.doubt(back)
		}
	}
}

// discarding returns what notes that a command with one of some flags may discard what is not committed.
func discarding(by string, flags ...string) func(c *call, args []string) {
	return func(c *call, args []string) {
		if has(args, flags...) {
			c.by += by
			c.mayDiscard()
		}
	}
}

// doubt notes that a command may have taken changes away: back is what a file would be then.
func (c *call) doubt(back func(*file) version) {
	c.sure = false
	_, files := c.tree()
	for _, f := range files {
		if to := back(f); !f.work.same(to) {
			f.set(to, c.cause)
		}
	}
}

// mayDiscard notes that a command may have taken away what is not committed, and what is staged.
func (c *call) mayDiscard() {
	c.doubt(uncommitted)
	c.rewind("HEAD", true)
}

// What a file would be without some changes: those that are not committed, those that are, all of the session, and all of
// what git does not track.
func uncommitted(f *file) version {
	if !f.index.exists && !f.head.exists && !f.vague {
		return f.work // it is not tracked
	}
	if f.vague {
		return elsewhere
	}
	return f.head
}

func committed(f *file) version {
	switch {
	case f.moved:
		return version{}
	case f.head.same(f.base) && !f.vague:
		return f.work
	}
	return f.base
}

func everything(f *file) version { return f.base }

func untracked(f *file) version {
	if f.index.exists || f.base.exists {
		return f.work
	}
	return version{}
}

// subcommand returns the command of git and its arguments; options in front may change the directory.
func (c *call) subcommand() (string, []string) {
	for i := 1; i < len(c.words); i++ {
		switch w := c.words[i]; {
		case w == "-C" && i+1 < len(c.words):
			i++
			if strings.ContainsAny(c.words[i], "$`~*") {
				c.lost = true
				continue
			}
			c.dir = c.t.key(c.dir, c.words[i])
			c.lost = c.lost && !paths.IsAbs(c.words[i])
		case (w == "-c" || w == "--git-dir" || w == "--work-tree") && i+1 < len(c.words):
			i++
		case !strings.HasPrefix(w, "-"):
			return w, c.words[i+1:]
		}
	}
	return "", nil
}

// root returns the top of the work tree that holds a path, as far as the session said so: of another work tree, or
// of a repository that it made.
func (t *Tracker) root(key string) string {
	best := ""
	if len(t.roots) == 0 && !strings.Contains(key, "worktrees/") {
		return ""
	}
	for _, r := range t.roots {
		if len(r) > len(best) && below(r, key) {
			best = r
		}
	}
	parts := strings.Split(key, "/")
	for i := len(parts) - 2; i >= 0; i-- { // where tools put work trees
		if parts[i] == ".worktrees" || parts[i] == "worktrees" && i > 0 && strings.HasPrefix(parts[i-1], ".") {
			if r := strings.Join(parts[:i+2], "/"); len(r) > len(best) {
				return r
			}
			break
		}
	}
	return best
}

// rootOf returns the root of a file.
func (t *Tracker) rootOf(f *file) string {
	if now := len(t.roots) + 1; f.roots != now {
		f.root, f.roots = t.root(f.path), now
	}
	return f.root
}

// tree returns the root that c works in, and its files.
func (c *call) tree() (root string, files []*file) {
	if c.lost {
		return "", c.t.all
	}
	root = c.t.root(c.dir)
	around := root == "" && !below(".", c.dir) && below(c.dir, c.t.Dir) // the session's directory is in a repository
	if root == "" && !below(".", c.dir) && !around {
		root = c.dir // elsewhere: at least what is below belongs to it
	}
	for _, f := range c.t.all {
		own := c.t.rootOf(f)
		if own == root && (root != "" || !paths.IsAbs(f.path) || around && below(c.dir, f.path)) ||
			root == c.dir && below(root, f.path) && len(own) <= len(root) {
			files = append(files, f)
		}
	}
	return root, files
}

const maxRoots = 32

func (c *call) addRoot(p string) {
	if r := c.t.key(c.dir, p); !c.lost && r != "." && len(c.t.roots) < maxRoots && !slices.Contains(c.t.roots, r) {
		c.t.roots = append(c.t.roots, r)
	}
}

func (c *call) newRoot(args []string) {
	before, after, _ := operands(args, "-b", "--branch", "--initial-branch", "--depth", "-o")
	all := slices.Concat(before, after)
	switch {
	case c.by == "git init" && len(all) == 0:
		c.addRoot(".")
	case c.by == "git init":
		c.addRoot(all[0])
	case len(all) == 1:
		c.addRoot(strings.TrimSuffix(path.Base(all[0]), ".git"))
	case len(all) > 1:
		c.addRoot(all[1])
	}
}

func (c *call) worktree(args []string) {
	before, after, _ := operands(args, "-b", "-B", "--reason")
	all := slices.Concat(before, after)
	if len(all) < 2 || c.lost {
		return
	}
	c.by += " " + all[0]
	switch all[0] {
	case "add":
		c.addRoot(all[1])
	case "remove":
		c.sure = false // what was committed there lives on in its branch
		c.t.remove(c.t.key(c.dir, all[1]), c.cause, false)
	}
}

// selected is a file that a command names, and how.
type selected struct {
	*file
	exact bool // by its own path, rather than by a directory or pattern
	sure  bool
}

// selects returns the files that path specifications name.
func (c *call) selects(specs []string) []selected {
	if c.fed {
		specs = []string{"$"}
	}
	if len(specs) == 0 {
		return nil
	}
	var out []selected
	_, files := c.tree()
	for _, f := range files {
		one := selected{file: f, sure: true}
		hit := false
		for _, w := range specs {
			switch exact, in, sure := c.names(w, f.path); {
			case w != "" && w[0] == ':' && w != ":/" && w != ":":
				one.sure = false
			case in:
				hit, one.exact, one.sure = true, one.exact || exact, one.sure && sure
			}
		}
		if hit {
			out = append(out, one)
		}
	}
	return out
}

// names reports whether a path specification names a file.
func (c *call) names(w, file string) (exact, in, sure bool) {
	switch {
	case strings.ContainsAny(w, "$`~{"):
		return false, true, false
	case w == ":/":
		return false, true, true
	case c.lost:
		w = path.Clean(w)
		return true, w == "." || strings.Contains("/"+file+"/", "/"+w+"/"), false
	}
	key := c.t.key(c.dir, w)
	if strings.ContainsAny(w, "*?[") {
		if m, err := path.Match(key, file); err == nil && m {
			return false, true, true
		}
		head, tail, _ := strings.Cut(key, "*") // git's patterns reach into directories, the shell's do not
		tail = tail[strings.LastIndex(tail, "*")+1:]
		return false, strings.HasPrefix(file, head) && strings.HasSuffix(file, tail), false
	}
	return key == file, below(key, file), true
}

// put gives a file the contents that a command restores.
func (c *call) put(f selected, to version, sure bool) {
	by := c.cause
	by.sure = by.sure && sure && f.sure && !c.lost && !c.fed
	if !to.exists && f.work.exists {
		if !f.exact {
			return // git leaves alone what it does not track
		}
		by.sure = false // it is tracked, against what is known here
	}
	f.set(to, by)
}

// at returns the content of a file in a commit: that of HEAD is known, others are as before the session if nothing of it
// is committed.
func (t *Tracker) at(f *file, rev string) (v version, sure bool) {
	if isHead(rev) {
		return f.head, !f.vague
	}
	if f.moved {
		return version{}, false
	}
	return f.base, !f.vague && f.head.same(f.base) && !strings.HasPrefix(rev, "stash")
}

func isHead(rev string) bool { return rev == "HEAD" || rev == "@" }

func (c *call) add(args []string) {
	if has(args, "-n", "--dry-run", "-N", "--intent-to-add") {
		return
	}
	before, after, _ := operands(args, "--chmod", "--pathspec-from-file")
	specs := slices.Concat(before, after)
	all := len(specs) == 0 && has(args, "-A", "--all", "-u", "--update")
	if all {
		specs = []string{":/"}
	}
	for _, f := range c.selects(specs) {
		switch {
		case !c.sure || !f.sure || f.maybe.found():
			f.vague = f.vague || !f.index.same(f.work)
		case has(args, "-u", "--update") && !f.index.exists:
		default:
			f.index = f.work
		}
	}
}

// commit records a commit: what is committed outlasts git checkout and git reset.
func (c *call) commit(args []string) {
	if has(args, "--dry-run") {
		return
	}
	before, after, _ := operands(args, "-m", "-am", "--message", "-F", "--file", "-C", "-c", "--author", "--date",
		"--fixup", "--squash", "--trailer", "-t", "--cleanup")
	specs := slices.Concat(before, after)
	if has(args, "-a", "-am", "--all") {
		specs = []string{":/"}
	}
	for _, f := range c.selects(specs) {
		if c.sure && f.sure && (f.index.exists || f.exact) {
			if f.index = f.work; f.maybe.found() {
				f.vague = true
			}
		}
	}
	_, files := c.tree()
	for _, f := range files {
		if !c.sure || c.lost {
			f.vague = f.vague || !f.head.same(f.work)
			continue
		}
		f.head = f.index
		f.vague = f.vague && (f.index.same(elsewhere) || f.maybe.found())
	}
}

func (c *call) checkout(args []string) {
	force := has(args, "-f", "--force")
	if has(args, "-b", "-B", "--orphan", "--detach", "-t", "--track") {
		if force {
			c.mayDiscard()
		}
		return
	}
	if has(args, "--ours", "--theirs", "-m", "--merge", "--pathspec-from-file") {
		c.sure = false
	}
	before, specs, dashes := operands(args, "--conflict")
	rev := ""
	switch {
	case dashes && len(before) > 0:
		rev = before[0]
	case dashes || len(before) == 0 && c.fed:
	case len(before) == 0:
		if force {
			c.mayDiscard()
		}
		return
	case c.isPath(before[0]):
		specs = before
	case len(before) > 1 || c.fed:
		rev, specs = before[0], before[1:]
	default: // a branch: changes that are not committed are carried along
		if force {
			c.mayDiscard()
		}
		return
	}
	for _, f := range c.selects(specs) {
		if rev == "" {
			c.put(f, f.index, !f.vague)
			continue
		}
		to, sure := c.t.at(f.file, rev)
		if c.put(f, to, sure); c.sure && f.sure && to.exists {
			f.index = to
			f.vague = f.vague || !sure
		}
	}
}

// isPath reports whether a word that could name a branch names a file of the session, or a directory of some.
func (c *call) isPath(w string) bool {
	if w == "." || w == ":/" || strings.HasPrefix(w, "./") || strings.HasPrefix(w, "../") ||
		strings.ContainsAny(w, "*?[") {
		return true
	}
	key := c.t.key(c.dir, w)
	return c.t.paths[key] != nil || len(c.t.under(key)) > 0
}

func (c *call) restore(args []string) {
	before, after, _ := operands(args, "-s", "--source", "--conflict")
	if has(args, "--ours", "--theirs", "-m", "--merge", "--pathspec-from-file") {
		c.sure = false
	}
	source := ""
	for i, w := range args {
		switch {
		case strings.HasPrefix(w, "--source="):
			source = strings.TrimPrefix(w, "--source=")
		case (w == "-s" || w == "--source") && i+1 < len(args):
			source = args[i+1]
		}
	}
	staged := has(args, "-S", "--staged")
	disk := !staged || has(args, "-W", "--worktree")
	for _, f := range c.selects(slices.Concat(before, after)) {
		to, sure := f.index, !f.vague
		if source != "" {
			to, sure = c.t.at(f.file, source)
		} else if staged {
			to = f.head
		}
		if disk {
			c.put(f, to, sure)
		}
		if staged && c.sure && f.sure && !c.lost {
			f.index = to
			f.vague = f.vague || !sure
		}
	}
}

func (c *call) reset(args []string) {
	before, after, dashes := operands(args)
	rev, specs := "HEAD", after
	if len(before) > 0 && !c.isPath(before[0]) {
		rev, before = before[0], before[1:]
	}
	specs = slices.Concat(before, specs)
	switch {
	case dashes || len(specs) > 0: // of the index alone
		for _, f := range c.selects(specs) {
			to, sure := c.t.at(f.file, rev)
			f.index = to
			f.vague = f.vague || !sure || !f.sure || !c.sure
		}
		return
	case has(args, "--hard"):
		c.by = "git reset --hard"
		c.discard(rev)
	case has(args, "--keep", "--merge"):
		c.doubt(uncommitted)
	}
	c.rewind(rev, !has(args, "--soft"))
}

// rewind moves HEAD, and the index with it or not, to a commit of which nothing is known unless it is HEAD.
func (c *call) rewind(rev string, index bool) {
	_, files := c.tree()
	for _, f := range files {
		if !isHead(rev) && !f.head.same(f.base) || index && (!c.sure || c.lost) && !f.index.same(f.head) {
			f.vague = true
			if index {
				f.index = elsewhere
			}
			continue
		}
		if index && c.sure {
			f.index = f.head
		}
	}
}

// revert takes git revert: what the session committed may be taken back.
func (c *call) revert(args []string) {
	if has(args, "--quit", "--continue", "--skip") {
		return
	}
	if has(args, "--abort") {
		c.by += " --abort"
		c.mayDiscard()
		return
	}
	c.doubt(committed)
	c.rewind("", true)
}

// byStash is the cause of the doubt about changes that were put away and may come back.
const byStash = "git stash"

// stash takes git stash: what it puts away is in doubt until it is certainly taken out again.
func (c *call) stash(args []string) {
	verb, rest := "push", args
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		verb, rest = args[0], args[1:]
	}
	switch verb {
	case "push", "save":
		c.putAway(rest, verb == "push")
	case "pop", "apply", "branch":
		if !c.sure || c.lost || len(rest) > 0 {
			return
		}
		if c.t.stashed == 1 {
			c.settle(cause{})
		}
		if verb != "apply" {
			c.t.stashed = max(0, c.t.stashed-1)
		}
	case "drop", "clear":
		c.by, c.sure = byStash+" "+verb, false
		c.t.stashed = 0
		c.settle(c.cause)
	}
}

// putAway takes git stash push.
func (c *call) putAway(args []string, paths bool) {
	before, after, _ := operands(args, "-m", "--message")
	specs := slices.Concat(before, after)
	if !paths || len(specs) == 0 {
		specs = []string{":/"}
	}
	c.by, c.sure = byStash, false
	c.t.stashed++
	all := has(args, "-u", "-a", "--include-untracked", "--all")
	for _, f := range c.selects(specs) {
		to := uncommitted(f.file)
		if all && !f.vague {
			to = f.head
		}
		switch {
		case f.maybe.found(): // an older doubt is not settled by what settles this one
			f.vague = true
		case !f.work.same(to):
			f.set(to, c.cause)
		}
	}
}

// settle replaces the doubt about what was put away.
func (c *call) settle(by cause) {
	_, files := c.tree()
	for _, f := range files {
		if f.maybe.by == byStash {
			f.maybe = by
		}
	}
}

// discard takes all changes of tracked files away that are not in a commit.
func (c *call) discard(rev string) {
	_, files := c.tree()
	for _, f := range files {
		to, sure := c.t.at(f, rev)
		by := c.cause
		by.sure = by.sure && sure && !c.lost
		if !f.index.exists && !f.head.exists {
			if !f.vague {
				continue // untracked
			}
			by.sure = false
		}
		if f.set(to, by); by.sure {
			f.index, f.vague = to, false
		}
	}
}

func (c *call) gitRemove(args []string) {
	if has(args, "-n", "--dry-run") {
		return
	}
	if !has(args, "--cached") {
		c.remove(true, args)
		return
	}
	before, after, _ := operands(args)
	for _, f := range c.selects(slices.Concat(before, after)) {
		if c.sure && f.sure {
			f.index = version{}
		}
	}
}
