package shell

import (
	"path"
	"slices"
	"strings"

	"ctxledger.dev/internal/pattern"
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
	for _, c := range Commands(line) {
		if !c.Lost {
			out = append(out, c.Acts()...)
		}
	}
	return plain(out)
}

// acts returns what one simple command does to the files that it names.
func acts(words []string) []Act {
	name, rest := words[0], words[1:]
	git := name == "git" && len(rest) > 1 && (rest[0] == "rm" || rest[0] == "mv")
	if git {
		name, rest = rest[0], rest[1:]
	}
	args := operands(rest, valued[name])
	switch name {
	case "rm", "unlink", "rmdir":
		if git && slices.Contains(rest, "--cached") {
			return nil // the file itself stays
		}
		return each(args, Act{Verb: Delete, Git: git})
	case "touch", "tee", "truncate":
		return each(args, Act{Verb: Write})
	case "mv":
		return pairs(args, rest, Act{Verb: Move, Git: git})
	case "cp":
		return pairs(args, rest, Act{Verb: Copy})
	case "gofmt":
		if slices.Contains(rest, "-w") {
			return each(slices.DeleteFunc(args, isTree), Act{Verb: Write})
		}
	case "sed", "perl":
		if inPlace().MatchString(strings.Join(rest, " ")) {
			if !slices.ContainsFunc(rest, func(w string) bool { return isScript(name, w) }) && len(args) > 0 {
				args = args[1:] // the first operand is the script
			}
			return each(args, Act{Verb: Write})
		}
	}
	return nil
}

// valued are the flags of a command whose value is the next word.
var valued = map[string]string{
	"truncate": "-s --size -r --reference", "touch": "-d --date -t -r --reference", "sed": "-e -f --expression --file",
	"perl": "-e -E -I", "mv": "-t -S --target-directory", "cp": "-t -S --target-directory", "gofmt": "-r",
}

// inPlace matches the flags that make sed or perl rewrite its files: -i, -i.bak, -ni, -pi.
var inPlace = pattern.Lazy(`(^| )(-[nEprs0]*i(\.\w+)?|--in-place(=\S+)?)( |$)`)

// isScript reports whether a flag of sed or perl gives the script, so that every operand is a file.
func isScript(name, w string) bool {
	return w == "-e" || w == "-f" || w == "-E" && name == "perl" || strings.HasPrefix(w, "--expression") ||
		strings.HasPrefix(w, "--file") ||
		len(w) > 2 && w[0] == '-' && w[1] != '-' && w[len(w)-1] == 'e' // -pie, -ne
}

// isTree reports whether a word names a whole directory.
func isTree(w string) bool {
	return w == "." || strings.HasSuffix(w, "/") || strings.HasSuffix(w, "...")
}

// pairs returns an act for each source and the last word, the target. A target named by a flag is
// left out: it precedes its sources.
func pairs(args, words []string, act Act) []Act {
	named := func(w string) bool { return w == "-t" || strings.HasPrefix(w, "--target-directory") }
	if len(args) < 2 || slices.ContainsFunc(words, named) {
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

// operands returns the words that are neither flags nor the values of flags.
func operands(words []string, valued string) []string {
	takes := strings.Fields(valued)
	var out []string
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case w == "--":
			return append(out, words[i+1:]...)
		case slices.Contains(takes, w):
			i++
		case !strings.HasPrefix(w, "-") && w != "":
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

// literal reports whether a word names one file without expansion.
func literal(p string) bool {
	return p != "" && !strings.ContainsAny(p, "*?[]{}$`~\x00\n") && !strings.HasPrefix(p, "/dev/")
}

func resolve(dir, file string) string {
	if dir == "" || path.IsAbs(file) {
		return path.Clean(file)
	}
	return path.Join(dir, file)
}
