package effects

import (
	"slices"
	"strconv"
	"strings"
)

// maxStashes bounds the entries of git's stash that are followed.
const maxStashes = 100

func (c *call) stash(args []string) {
	verb, rest := "push", args
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		verb, rest = args[0], args[1:]
	}
	switch verb {
	case "push", "save":
		c.stashPush(rest, verb == "push")
	case "pop", "apply", "branch", "drop":
		if verb == "branch" {
			rest = nil
		}
		c.by += " " + verb
		c.stashTake(rest, verb)
	case "clear":
		c.by += " clear"
		for c.sure && len(c.t.stashes) > 0 {
			c.dropStash(len(c.t.stashes)-1, true)
		}
	}
}

func (c *call) stashPush(args []string, paths bool) {
	before, after, _ := operands(args, "-m", "--message")
	specs := slices.Concat(before, after)
	if !paths || len(specs) == 0 {
		specs = []string{":/"}
	}
	root, _ := c.tree()
	one := stash{root: root, what: make(map[*file]version), by: c.cause}
	for _, f := range c.selects(specs) {
		tracked := f.index.exists || f.head.exists
		if !tracked && !has(args, "-u", "-a", "--include-untracked", "--all") || f.work.same(f.head) {
			continue
		}
		if !c.sure || !f.sure || c.lost {
			f.maybe = c.cause
			f.maybe.sure = false
			continue
		}
		to := f.head
		if has(args, "-k", "--keep-index") {
			to = f.index
		}
		one.what[f.file] = f.work
		f.work, f.index, f.maybe = to, to, cause{}
		f.seq = max(f.seq, c.seq)
	}
	if c.sure && !c.lost && len(c.t.stashes) < maxStashes {
		c.t.stashes = append(c.t.stashes, one)
	}
}

// stashTake takes what brings an entry of the stash back, or drops it.
func (c *call) stashTake(args []string, verb string) {
	if !c.sure || c.lost {
		return
	}
	nth := 0
	if before, _, _ := operands(args); len(before) > 0 {
		digits := strings.TrimSuffix(strings.TrimPrefix(before[0], "stash@{"), "}")
		n, err := strconv.Atoi(digits)
		if err != nil {
			return
		}
		nth = n
	}
	root, _ := c.tree()
	for i := len(c.t.stashes) - 1; i >= 0; i-- {
		if c.t.stashes[i].root != root {
			continue
		}
		if nth--; nth >= 0 {
			continue
		}
		if verb != "drop" {
			for f, v := range c.t.stashes[i].what {
				if f.work.same(f.head) {
					f.work = v
				} else {
					f.work = f.work.merge(v)
				}
				f.maybe, f.seq = cause{}, max(f.seq, c.seq)
			}
		}
		if verb != "apply" {
			c.dropStash(i, verb == "drop")
		}
		return
	}
}

// dropStash removes an entry; lost says that its contents go with it.
func (c *call) dropStash(i int, lost bool) {
	one := c.t.stashes[i]
	c.t.stashes = slices.Delete(c.t.stashes, i, i+1)
	if !lost {
		return
	}
	for f, v := range one.what {
		if !f.work.holds(v) {
			f.lost += max(0, v.n-f.work.n)
			f.undo = c.cause
			f.listed, f.seq = true, max(f.seq, c.seq)
		}
	}
}
