package effects

import (
	"maps"
	"slices"
	"strings"
)

// revert takes git revert: of the newest commit it is known what it takes away.
func (c *call) revert(args []string) {
	if has(args, "--abort", "--quit", "--continue", "--skip") {
		c.integrate(args)
		return
	}
	before, _, _ := operands(args, "-m", "--mainline")
	root, files := c.tree()
	top := len(c.t.commits) - 1
	for top >= 0 && c.t.commits[top].root != root {
		top--
	}
	n, known := 0, false
	if len(before) == 1 {
		n, known = ancestor(before[0])
	}
	if !known || n > 0 || c.t.fuzzy || top < 0 || c.lost || !c.sure {
		c.sure = false
		for _, f := range files {
			if !f.head.same(f.base) {
				f.set(f.base, c.cause)
			}
		}
		c.t.fuzzy = true
		return
	}
	was := c.t.commits[top].before
	one := commit{root: root, before: make(map[*file]version)}
	for _, f := range files { // in order, unlike the map
		to, in := was[f]
		if !in {
			continue
		}
		by := c.cause
		by.sure = by.sure && f.work.same(f.head)
		one.before[f] = f.head
		if f.set(to, by); by.sure {
			f.index, f.head = to, to
			if has(args, "-n", "--no-commit") {
				f.head = one.before[f]
			}
		} else {
			f.vague = true
		}
	}
	if !has(args, "-n", "--no-commit") {
		c.t.commits = append(c.t.commits, one)
	}
}

// apply takes git apply -R.
func (c *call) apply(args []string) {
	if !has(args, "-R", "--reverse") || has(args, "--check", "--stat", "--numstat", "--summary", "--cached") {
		return
	}
	c.by = "git apply -R"
	c.reversePatch(args)
}

// reversePatch marks the files whose changes a patch applied in reverse may have taken away: those that it names, if
// its text is known, else those of the diff that it is made of, else all that changed.
func (c *call) reversePatch(args []string) {
	c.sure = false
	var texts []string
	texts = append(texts, c.body...)
	before, after, _ := operands(args, "-p", "-d", "-i", "--directory")
	for _, w := range slices.Concat(before, after) {
		if f := c.t.paths[c.t.key(c.dir, w)]; f != nil && f.work.known {
			texts = append(texts, f.work.text)
		}
	}
	_, files := c.tree()
	named := patched(texts)
	specs := c.diffed()
	if len(specs) > 0 {
		files = nil
		for _, f := range c.selects(specs) {
			files = append(files, f.file)
		}
	}
	for _, f := range files {
		hit := len(named) == 0
		for name := range maps.Keys(named) {
			hit = hit || f.path == name || strings.HasSuffix(f.path, "/"+name)
		}
		if hit {
			f.set(f.base, c.cause)
		}
	}
}

// diffed returns the paths of the git diff whose output the command reads.
func (c *call) diffed() []string {
	if len(c.prev) < 2 || c.prev[0] != "git" || c.prev[1] != "diff" && c.prev[1] != "show" {
		return nil
	}
	before, after, dashes := operands(c.prev[2:])
	if dashes {
		return after
	}
	return slices.DeleteFunc(before, func(w string) bool { return !c.isPath(w) })
}

// maxPatched bounds the files that patches name.
const maxPatched = 64

// patched returns the files that patches change.
func patched(texts []string) map[string]bool {
	out := make(map[string]bool)
	for _, text := range texts {
		for line := range strings.SplitSeq(text, "\n") {
			name, is := strings.CutPrefix(line, "+++ ")
			if !is {
				name, is = strings.CutPrefix(line, "--- ")
			}
			name, _, _ = strings.Cut(name, "\t")
			if _, behind, found := strings.Cut(name, "/"); is && found && len(out) < maxPatched && name != "/dev/null" {
				out[behind] = true
			}
		}
	}
	return out
}
