package shell

import (
	"slices"
	"strings"
)

// Command is one simple command of a line.
type Command struct {
	Dir     string   // where it runs, relative to the directory in which the line started, or absolute
	Lost    bool     // Dir is not known: a change of directory names something that the shell expands
	Words   []string // without quotes and redirections, and without assignments and wrappers in front
	Outputs []string // files that its output goes to, as written
	Appends bool     // to one of Outputs, rather than replacing it
	Op      string   // the operator behind it: && || | ; & a line break, or nothing
}

// place is a directory, as far as it is known.
type place struct {
	dir  string
	lost bool
}

// Commands cuts a command line into its simple commands. It follows cd and knows subshells; bodies of here-documents
// and changes of directory are left out. A caller has to expect keywords of the shell ("do", "then", "{") among the
// first words.
func Commands(line string) []Command {
	var (
		out   []Command
		words []string
		at    place
		outer []place // of the subshells that are open
		s     = &scanner{src: line}
	)
	for {
		w, kind := s.next()
		switch kind {
		case wordPlain:
			words = append(words, w)
			continue
		case wordRedirect:
			words = append(words, redirectMark+w)
			continue
		}
		if (w == "&" || w == "|") && s.ahead(w) {
			s.pos++
			w += w
		}
		if len(words) > 0 {
			out, at = at.run(out, words, w)
			words = nil
		} else if n := len(out); n > 0 && out[n-1].Op == ")" && w != "\n" {
			out[n-1].Op = w // the operator behind a subshell is that behind its last command
		}
		switch {
		case kind == wordEnd:
			return out
		case w == "(":
			outer = append(outer, at)
		case w == ")" && len(outer) > 0:
			at, outer = outer[len(outer)-1], outer[:len(outer)-1]
		}
	}
}

// run adds one command, or follows it to another directory.
func (p place) run(out []Command, words []string, op string) ([]Command, place) {
	appends := slices.Contains(words, redirectMark+">>")
	words, outputs := redirections(words)
	words = stripPrefix(words)
	switch {
	case len(words) == 0 && len(outputs) == 0:
		return out, p
	case len(words) > 0 && (words[0] == "cd" || words[0] == "pushd"):
		return out, p.change(words[1:])
	}
	one := Command{Dir: p.dir, Lost: p.lost, Words: words, Outputs: outputs, Appends: appends, Op: op}
	return append(out, one), p
}

// change returns the place after a change of directory.
func (p place) change(to []string) place {
	for len(to) > 0 && (to[0] == "--" || to[0] == "-P" || to[0] == "-L") {
		to = to[1:]
	}
	if len(to) != 1 || to[0] == "-" || !literal(to[0]) {
		return place{dir: p.dir, lost: true}
	}
	dir := resolve(p.dir, to[0])
	return place{dir: dir, lost: p.lost && !strings.HasPrefix(dir, "/")}
}

// Acts returns what the command does to files if it succeeds, as the function Acts does for a whole line.
func (c Command) Acts() []Act {
	var out []Act
	for _, t := range c.Outputs {
		out = append(out, Act{Verb: Write, Path: resolve(c.Dir, t)})
	}
	if len(c.Words) > 0 {
		for _, act := range acts(c.Words) {
			act.Path = resolve(c.Dir, act.Path)
			if act.To != "" {
				act.To = resolve(c.Dir, act.To)
			}
			out = append(out, act)
		}
	}
	return plain(out)
}
