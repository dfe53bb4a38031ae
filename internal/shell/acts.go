package shell

import (
	"path"
	"strings"
)

// Verb is what a command does to a file.
type Verb string

// The verbs.
const (
	Write  Verb = "write"  // creates or changes Path
	Delete Verb = "delete" // removes Path
	Move   Verb = "move"   // moves Path to To
	Copy   Verb = "copy"   // copies Path to To
)

// Act is what a command plainly does to one file. Paths are relative to the directory in which the
// command started, or absolute.
type Act struct {
	Verb Verb
	Path string
	To   string // of a move or copy
	Git  bool   // done by git, so to a file of the project
}

// maxActs bounds what one command may contribute.
const maxActs = 32

// Acts returns what a command line that succeeds does to files by its plain meaning: rm, mv, cp,
// touch, tee, sed -i, gofmt -w, truncate, git rm and mv, and redirections. Words that the shell
// would expand (globs, variables, substitutions) are left out: they name no file.
func Acts(line string) []Act {
	var out []Act
	dir := ""
	for _, words := range simpleCommands(line) {
		words, targets := redirections(words)
		for _, t := range targets {
			out = append(out, Act{Verb: Write, Path: resolve(dir, t)})
		}
		words = stripPrefix(words)
		if len(words) == 0 {
			continue
		}
		if words[0] == "cd" && len(words) == 2 {
			dir = resolve(dir, words[1])
			continue
		}
		for _, act := range acts(words) {
			act.Path = resolve(dir, act.Path)
			if act.To != "" {
				act.To = resolve(dir, act.To)
			}
			out = append(out, act)
		}
	}
	return plain(out)
}

// acts returns what one simple command does to the files that it names.
func acts(words []string) []Act {
	name, args := words[0], operands(words[1:])
	git := name == "git" && len(args) > 1 && (args[0] == "rm" || args[0] == "mv")
	if git {
		name, args = args[0], args[1:]
	}
	switch name {
	case "rm", "unlink", "rmdir":
		return each(args, Act{Verb: Delete, Git: git})
	case "touch", "tee", "truncate":
		return each(args, Act{Verb: Write})
	case "mv":
		return pairs(args, Act{Verb: Move, Git: git})
	case "cp":
		return pairs(args, Act{Verb: Copy})
	case "gofmt":
		if inPlace(name, words[1:]) {
			return each(args, Act{Verb: Write})
		}
	case "sed", "perl":
		if inPlace(name, words[1:]) && len(args) > 0 {
			return each(args[1:], Act{Verb: Write}) // the first operand is the script
		}
	}
	return nil
}

// pairs returns an act for each source and the target that stands last.
func pairs(args []string, act Act) []Act {
	if len(args) < 2 {
		return nil
	}
	sources, target := args[:len(args)-1], args[len(args)-1]
	if len(sources) > 1 && !strings.HasSuffix(target, "/") {
		target += "/"
	}
	var out []Act
	for _, s := range sources {
		act.Path, act.To = s, into(s, target)
		out = append(out, act)
	}
	return out
}

// inPlace reports whether the flags make an editor rewrite its files.
func inPlace(name string, words []string) bool {
	for _, w := range words {
		switch {
		case name == "gofmt" && w == "-w",
			name != "gofmt" && strings.HasPrefix(w, "-") && strings.Contains(w, "i") && !strings.HasPrefix(w, "--"),
			w == "--in-place":
			return true
		}
	}
	return false
}

// each returns the act for each of the files.
func each(files []string, act Act) []Act {
	out := make([]Act, 0, len(files))
	for _, f := range files {
		act.Path = f
		out = append(out, act)
	}
	return out
}

// into returns where a file lands that is moved or copied to target.
func into(file, target string) string {
	if strings.HasSuffix(target, "/") || target == "." || target == ".." {
		return path.Join(target, path.Base(file))
	}
	return target
}

// operands returns the words that are not flags.
func operands(words []string) []string {
	var out []string
	for i, w := range words {
		if w == "--" {
			return append(out, words[i+1:]...)
		}
		if !strings.HasPrefix(w, "-") {
			out = append(out, w)
		}
	}
	return out
}

// stripPrefix removes environment assignments and wrappers in front of a command.
func stripPrefix(words []string) []string {
	for len(words) > 0 {
		name, _, assigned := strings.Cut(words[0], "=")
		switch {
		case assigned && !strings.ContainsAny(name, "/.-"), words[0] == "sudo", words[0] == "env", words[0] == "time":
			words = words[1:]
		default:
			return words
		}
	}
	return nil
}

// plain drops what names no plain file, and repetitions.
func plain(in []Act) []Act {
	seen := map[Act]bool{}
	var out []Act
	for _, act := range in {
		if !literal(act.Path) || act.To != "" && !literal(act.To) || seen[act] || len(out) == maxActs {
			continue
		}
		seen[act] = true
		out = append(out, act)
	}
	return out
}

// literal reports whether a word names one file as it stands.
func literal(p string) bool {
	return p != "" && !strings.ContainsAny(p, "*?[]{}$`~\x00\n") && !strings.HasPrefix(p, "/dev/")
}

func resolve(dir, file string) string {
	if dir == "" || path.IsAbs(file) {
		return path.Clean(file)
	}
	return path.Join(dir, file)
}
