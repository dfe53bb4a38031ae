package effects

import (
	"path"
	"slices"
	"strings"

	"ctxledger.dev/internal/paths"
	"ctxledger.dev/internal/shell"
)

// call is one simple command that a session ran.
type call struct {
	t     *Tracker
	words []string
	dir   string // where it ran, as a key
	lost  bool   // dir is not known
	fed   bool   // xargs gives it operands that are not known
	cause
	cmd  shell.Command
	body []string // here-documents of the line
}

const (
	maxCommand = 64 << 10 // bytes of a command line that are read
	maxCalls   = 500      // commands of a line
	maxDepth   = 3        // of shells in one another
)

// touching are words of commands that change files; harmless are redirections that do not.
var (
	touching = []string{"git ", "rm ", "rmdir", "mv ", "cp ", "sed ", "perl ", "patch", "tee ", "xargs", "sh ",
		"install ", "ln ", "touch ", "truncate", "rsync", ">"}
	harmless = strings.NewReplacer("2>&1", "", "2>/dev/null", "", ">/dev/null", "", "> /dev/null", "")
)

// mayTouchFiles reports whether a command could change a file: most commands do not, and are not
// parsed.
func mayTouchFiles(command string) bool {
	command = harmless.Replace(command)
	return slices.ContainsFunc(touching, func(word string) bool { return strings.Contains(command, word) })
}

// Shell takes a command line; ok says that it exited with 0.
func (t *Tracker) Shell(turn int, seq int64, command string, ok bool) {
	if !mayTouchFiles(command) {
		return
	}
	t.line(cause{turn: turn, seq: seq, sure: true}, "", command, ok, 0)
}

func (t *Tracker) line(by cause, dir, command string, ok bool, depth int) {
	if len(command) > maxCommand {
		return // what is cut off could say whether the rest took place
	}
	cmds := shell.Commands(command)
	if len(cmds) > maxCalls {
		return
	}
	body := shell.HereDocuments(command)
	for i, c := range cmds {
		ran, sure := outcome(cmds, i, ok)
		words, plain := unwrapped(c.Words)
		if !ran {
			continue
		}
		one := &call{t: t, words: words, dir: t.key(dir, orDot(c.Dir)), lost: c.Lost, cause: by, cmd: c, body: body}
		one.sure = by.sure && sure && plain
		one.lost = one.lost || t.Dir == "" && t.absolute && !paths.IsAbs(one.dir)
		if script := scriptOf(words); script != "" && depth < maxDepth {
			in := by
			in.sure = one.sure && !one.lost
			t.line(in, one.dir, script, ok || i+1 < len(cmds), depth+1)
			continue
		}
		one.run()
	}
}

func orDot(dir string) string {
	if dir == "" {
		return "."
	}
	return dir
}

// outcome says whether a command of a line may have succeeded, and whether that is certain.
func outcome(cmds []shell.Command, i int, ok bool) (ran, sure bool) {
	last := len(cmds) - 1 // of the commands that decide the outcome, the first
	for last > 0 && cmds[last-1].Op == "|" {
		last--
	}
	if !ok {
		return i < last, false
	}
	before := ""
	if i > 0 {
		before = cmds[i-1].Op
	}
	switch {
	case before == "||", cmds[i].Op == "||", cmds[i].Op == "&":
		return true, false
	case before == "&&":
		chained := true // to the end of the line, whose success is that of all
		for _, c := range cmds[i : len(cmds)-1] {
			chained = chained && (c.Op == "&&" || c.Op == "|")
		}
		steady := len(cmds[i-1].Words) > 0 && slices.Contains([]string{"git", "echo", "mkdir"}, cmds[i-1].Words[0])
		return true, chained || steady
	}
	return true, true
}

// unwrapped removes keywords and wrappers in front of a command; plain is false where a condition or a loop decides
// whether it runs.
func unwrapped(words []string) (rest []string, plain bool) {
	plain = true
	for len(words) > 0 {
		switch words[0] {
		case "then", "else", "elif", "do", "if", "while", "until", "!":
			plain = false
		case "{", "time", "command", "builtin", "nohup", "exec", "rtk", "env":
		case "nice", "timeout", "stdbuf":
			for len(words) > 1 && (words[1] == "" || strings.ContainsRune("-0123456789", rune(words[1][0]))) {
				words = words[1:]
			}
		default:
			return words, plain
		}
		words = words[1:]
	}
	return words, plain
}

// scriptOf returns the command line that a call of a shell is given.
func scriptOf(words []string) string {
	if len(words) < 2 {
		return ""
	}
	switch path.Base(words[0]) {
	case "eval":
		return strings.Join(words[1:], " ")
	case "sh", "bash", "zsh", "dash":
		for i, w := range words[1:] {
			if (w == "-c" || isGroup(w) && strings.HasSuffix(w, "c")) && i+2 < len(words) {
				return words[i+2]
			}
		}
	}
	return ""
}

func (c *call) run() {
	if len(c.words) > 0 && c.words[0] == "xargs" {
		c.fed = true
		for c.words = c.words[1:]; len(c.words) > 0 && strings.HasPrefix(c.words[0], "-"); {
			valued := len(c.words[0]) == 2 && strings.Contains("IndLPs", c.words[0][1:])
			if c.words = c.words[1:]; valued && len(c.words) > 0 {
				c.words = c.words[1:]
			}
		}
	}
	if len(c.words) == 0 {
		c.writes()
		return
	}
	switch c.words[0] {
	case "git":
		c.git()
	case "rm", "unlink", "rmdir":
		c.by = c.words[0]
		c.remove(false, c.words[1:])
	case "patch":
		if has(c.words, "-R", "--reverse") && !has(c.words, "--dry-run") {
			c.by = "patch -R"
			c.doubt(everything)
		}
	}
	c.writes()
}

// has reports whether one of some flags is among words, single letters also in groups ("-fd").
func has(words []string, flags ...string) bool {
	for _, w := range words {
		if w == "--" {
			return false
		}
		for _, f := range flags {
			group := len(f) == 2 && isGroup(w) && strings.Contains(w, f[1:])
			if w == f || group || strings.HasPrefix(f, "--") && strings.HasPrefix(w, f+"=") {
				return true
			}
		}
	}
	return false
}

// isGroup reports whether a word is several flags of one letter: "-fd".
func isGroup(w string) bool {
	return len(w) > 2 && w[0] == '-' && strings.Trim(strings.ToLower(w[1:]), "abcdefghijklmnopqrstuvwxyz") == ""
}

// operands returns the words that are no flags and no values of the given flags, those behind "--" apart.
func operands(words []string, valued ...string) (before, after []string, dashes bool) {
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case w == "--":
			return before, words[i+1:], true
		case slices.Contains(valued, w), isGroup(w) && slices.Contains(valued, "-"+w[len(w)-1:]):
			i++
		case w != "" && !strings.HasPrefix(w, "-"):
			before = append(before, w)
		}
	}
	return before, nil, false
}

// remove takes rm and git rm.
func (c *call) remove(git bool, args []string) {
	before, after, _ := operands(args)
	for _, w := range slices.Concat(before, after) {
		switch {
		case strings.ContainsAny(w, "$`~{") || c.lost:
			continue
		case strings.ContainsAny(w, "*?["):
			pattern := c.t.key(c.dir, w)
			for _, f := range c.t.all {
				if in, err := path.Match(pattern, f.path); err == nil && in {
					c.t.remove(f.path, c.cause, git)
				}
			}
			continue
		}
		key := c.t.key(c.dir, w)
		if c.t.paths[key] == nil && !has(args, "-r", "-R", "--recursive") && len(c.t.under(key)) > 0 {
			continue // a directory, which this does not remove
		}
		if has(args, "-f", "--force") && c.t.paths[key] == nil && len(c.t.under(key)) == 0 && !git {
			continue // it may never have been there
		}
		c.t.remove(key, c.cause, git)
	}
}

// writes takes what the command moves, copies and writes.
func (c *call) writes() {
	if c.lost {
		return
	}
	cmd := c.cmd
	cmd.Words, cmd.Dir = c.words, c.dir
	for _, act := range cmd.Acts() {
		by := c.cause
		to := c.t.key("", act.Path)
		switch act.Verb {
		case shell.Move:
			by.by = "mv"
			c.t.move(to, c.landing(to, c.t.key("", act.To)), by, act.Git)
		case shell.Copy:
			c.t.copy(to, c.landing(to, c.t.key("", act.To)), by)
		case shell.Write:
			if c.sure {
				c.write(to)
			}
		}
	}
}

// landing returns where a file lands that is moved to a path, which may be a directory.
func (c *call) landing(from, to string) string {
	if c.t.paths[to] == nil && len(c.t.under(to)) > 0 && c.t.paths[from] != nil {
		return path.Join(to, path.Base(from))
	}
	return to
}

// write takes a file that a command writes.
func (c *call) write(key string) {
	f := c.t.paths[key]
	name := ""
	if len(c.words) > 0 {
		name = c.words[0]
	}
	redirected := slices.ContainsFunc(c.cmd.Outputs, func(o string) bool { return c.t.key(c.dir, o) == key })
	switch {
	case name == "touch", name == "gofmt": // the same text, laid out
	case name == "git" && redirected && f != nil && has(c.words, "show"): // perhaps what it was
		c.by, c.sure = "git show", false
		f.set(f.head, c.cause)
	case (name == "cat" && redirected || name == "tee") && len(c.body) == 1:
		e := Edit{Path: key, New: c.body[0], Whole: !c.cmd.Appends && !has(c.words, "-a", "--append")}
		c.t.Edit(c.turn, c.seq, e)
	case f == nil && (name != "sed" && name != "perl" || redirected):
	default:
		f = c.t.file(key)
		f.touch(c.turn, c.seq)
		if redirected || name == "truncate" || name == "tee" {
			f.work = version{exists: true, whole: true, n: f.work.n + 1}
		} else {
			f.work = f.work.opaque(c.turn)
		}
	}
}
