package effects

import (
	"path"
	"slices"
	"strconv"
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
	if has(args, "-p", "--patch", "-i", "--interactive") && sub != "rebase" && sub != "apply" {
		c.sure = false
	}
	run(c, args)
}

// gitCommands are the commands that are followed: a row each.
var gitCommands = map[string]func(c *call, args []string){
	"add":         (*call).add,
	"stage":       (*call).add,
	"commit":      (*call).commit,
	"checkout":    (*call).checkout,
	"switch":      (*call).switchBranch,
	"restore":     (*call).restore,
	"reset":       (*call).reset,
	"clean":       (*call).clean,
	"stash":       (*call).stash,
	"revert":      (*call).revert,
	"apply":       (*call).apply,
	"rm":          (*call).gitRemove,
	"merge":       (*call).integrate,
	"rebase":      (*call).integrate,
	"pull":        (*call).integrate,
	"cherry-pick": (*call).integrate,
	"am":          (*call).integrate,
	"worktree":    (*call).worktree,
	"init":        (*call).newRoot,
	"clone":       (*call).newRoot,
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

// at returns the content of a file in a commit.
func (t *Tracker) at(f *file, rev string) (v version, sure bool) {
	v = f.head
	back, known := ancestor(rev)
	if !known || back > 0 && t.fuzzy {
		return f.base, !f.vague && f.head.same(f.base) && !strings.HasPrefix(rev, "stash")
	}
	root := t.rootOf(f)
	for i := len(t.commits) - 1; i >= 0 && back > 0; i-- {
		if t.commits[i].root == root {
			if before, in := t.commits[i].before[f]; in {
				v = before
			}
			back--
		}
	}
	if back > 0 {
		v = f.base
	}
	return v, !f.vague
}

// ancestor returns how many commits behind HEAD a revision plainly is.
func ancestor(rev string) (int, bool) {
	rest, is := strings.CutPrefix(rev, "HEAD")
	if !is {
		rest, is = strings.CutPrefix(rev, "@")
	}
	if !is {
		return 0, false
	}
	n := 0
	for rest != "" {
		mark := rest[0]
		if mark != '^' && mark != '~' {
			return 0, false
		}
		digits := rest[1:]
		end := 0
		for end < len(digits) && end < 6 && digits[end] >= '0' && digits[end] <= '9' {
			end++
		}
		step := 1
		if end > 0 {
			step, _ = strconv.Atoi(digits[:end])
			if mark == '^' && step > 1 {
				return 0, false // another parent of a merge
			}
		}
		n += step
		rest = digits[end:]
	}
	return n, true
}

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
	root, files := c.tree()
	one := commit{root: root, before: make(map[*file]version)}
	for _, f := range files {
		switch {
		case !c.sure || c.lost:
			f.vague = f.vague || !f.head.same(f.work)
		default:
			if !f.head.same(f.index) {
				one.before[f] = f.head
				f.head = f.index
			}
			f.vague = f.vague && f.maybe.found()
		}
	}
	if c.sure && !c.lost {
		c.t.record(one, has(args, "--amend"))
	}
}

// maxCommits bounds the commits that git reset and git revert can go back to.
const maxCommits = 500

func (t *Tracker) record(one commit, amend bool) {
	i := len(t.commits) - 1
	for i >= 0 && t.commits[i].root != one.root {
		i--
	}
	switch {
	case amend && i < 0:
		t.fuzzy = true
	case amend:
		for f, v := range one.before {
			if _, in := t.commits[i].before[f]; !in {
				t.commits[i].before[f] = v
			}
		}
	case len(t.commits) == maxCommits:
		t.fuzzy = true
	default:
		t.commits = append(t.commits, one)
	}
}

func (c *call) checkout(args []string) {
	if has(args, "-b", "-B", "--orphan", "--detach", "-t", "--track") {
		if c.moved(args); has(args, "-f", "--force") {
			c.discard("HEAD")
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
		if has(args, "-f", "--force") {
			c.discard("HEAD")
		}
		return
	case c.isPath(before[0]):
		specs = before
	case len(before) > 1 || c.fed:
		rev, specs = before[0], before[1:]
	default: // a branch: changes that are not committed are carried along
		if c.moved(nil); has(args, "-f", "--force") {
			c.discard("HEAD")
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

// moved notes that HEAD may be another commit now: a new branch without a start point changes nothing.
func (c *call) moved(args []string) {
	before, _, _ := operands(args, "-b", "-B", "-c", "-C", "--orphan")
	if args == nil || len(before) > 0 {
		c.t.fuzzy = true
	}
}

func (c *call) switchBranch(args []string) {
	if has(args, "--discard-changes", "-f", "--force") {
		c.discard("HEAD")
	}
	if has(args, "-c", "-C", "--create", "--force-create") {
		c.moved(args)
	} else {
		c.moved(nil)
	}
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
	switch {
	case has(args, "--hard"):
		rev := "HEAD"
		if len(before) > 0 {
			rev = before[0]
		}
		c.by = "git reset --hard"
		c.discard(rev)
		c.rewind(rev)
	case has(args, "--keep", "--merge"):
		c.sure = false
		c.discard("HEAD")
		c.t.fuzzy = true
	case dashes || len(before) > 1 || len(before) == 1 && c.isPath(before[0]): // of the index alone
		rev, specs := "HEAD", append(slices.Clone(before), after...)
		if len(before) > 0 && !c.isPath(before[0]) {
			rev, specs = before[0], specs[1:]
		}
		for _, f := range c.selects(specs) {
			to, sure := c.t.at(f.file, rev)
			f.index = to
			f.vague = f.vague || !sure || !f.sure || !c.sure
		}
	default:
		if len(before) == 1 {
			c.rewind(before[0])
		}
		if !has(args, "--soft") && c.sure {
			_, files := c.tree()
			for _, f := range files {
				f.index = f.head
			}
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

// rewind moves HEAD to an earlier commit.
func (c *call) rewind(rev string) {
	n, known := ancestor(rev)
	root, files := c.tree()
	if !known || !c.sure || c.lost || n > 0 && c.t.fuzzy {
		for _, f := range files {
			f.vague = f.vague || !f.head.same(f.base)
		}
		c.t.fuzzy = true
		return
	}
	for i := len(c.t.commits) - 1; i >= 0 && n > 0; i-- {
		if c.t.commits[i].root != root {
			continue
		}
		for f, v := range c.t.commits[i].before {
			f.head = v
		}
		c.t.commits = slices.Delete(c.t.commits, i, i+1)
		n--
	}
	for _, f := range files {
		if n > 0 {
			f.head = f.base
		}
	}
}

func (c *call) clean(args []string) {
	force := has(args, "-f", "--force")
	if !force || has(args, "-n", "--dry-run") {
		return
	}
	before, after, _ := operands(args, "-e", "--exclude")
	specs := slices.Concat(before, after)
	if len(specs) == 0 {
		specs = []string{"."}
	}
	for _, f := range c.selects(specs) {
		if f.index.exists || f.base.exists || !f.work.exists {
			continue
		}
		by := c.cause
		// git keeps ignored files without -x, and untracked directories without -d.
		by.sure = by.sure && f.sure && !c.lost && !f.vague && has(args, "-x") && !has(args, "-e", "--exclude") &&
			(has(args, "-d") || path.Dir(f.path) == c.dir)
		f.set(version{}, by)
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

// integrate takes what brings in commits that are not known.
func (c *call) integrate(args []string) {
	c.t.fuzzy = true
	if !has(args, "--abort") {
		return
	}
	c.by += " --abort"
	c.sure = false
	_, files := c.tree()
	for _, f := range files {
		if f.index.exists || f.head.exists {
			f.set(f.head, c.cause)
		}
	}
}
