package changes

import (
	"path"
	"strings"
)

// Effect is a change that a shell command probably made. Its Path is relative to the directory
// in which the command started, or absolute.
type Effect struct {
	Path string
	Op   Op
}

// maxInferred bounds what one command may contribute.
const maxInferred = 32

// FromCommand returns the changes that a successful shell command makes by its plain meaning:
// rm, mv, cp, touch, tee, sed -i, truncate, git rm and mv, and redirections into files. Words that
// the shell would expand (globs, variables, substitutions) are left out: they name no file.
func FromCommand(line string) []Effect {
	var out []Effect
	dir := ""
	for _, words := range simpleCommands(line) {
		words, targets := redirections(words)
		for _, t := range targets {
			out = append(out, Effect{resolve(dir, t), Modified})
		}
		words = stripPrefix(words)
		if len(words) == 0 {
			continue
		}
		if words[0] == "cd" && len(words) == 2 {
			dir = resolve(dir, words[1])
			continue
		}
		for _, c := range effects(words) {
			out = append(out, Effect{resolve(dir, c.Path), c.Op})
		}
	}
	return plain(out)
}

// effects returns what one simple command does to the files that it names.
func effects(words []string) []Effect {
	name, args := words[0], operands(words[1:])
	if name == "git" && len(args) > 1 && (args[0] == "rm" || args[0] == "mv") {
		name, args = args[0], args[1:]
	}
	switch name {
	case "rm", "unlink", "rmdir":
		return each(args, Deleted)
	case "touch", "tee", "truncate":
		return each(args, Modified)
	case "mv":
		if len(args) == 2 {
			return []Effect{{args[0], Deleted}, {into(args[0], args[1]), Created}}
		}
	case "cp":
		if len(args) == 2 {
			return []Effect{{into(args[0], args[1]), Created}}
		}
	case "sed", "perl", "gofmt":
		if inPlace(name, words[1:]) && len(args) > 0 {
			if name == "gofmt" {
				return each(args, Modified)
			}
			return each(args[1:], Modified) // the first operand is the script
		}
	}
	return nil
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

func each(args []string, op Op) []Effect {
	out := make([]Effect, 0, len(args))
	for _, a := range args {
		out = append(out, Effect{a, op})
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

// plain drops what is no plain file name, and repetitions.
func plain(in []Effect) []Effect {
	seen := map[Effect]bool{}
	var out []Effect
	for _, c := range in {
		bad := c.Path == "" || strings.ContainsAny(c.Path, "*?[]{}$`~\x00\n") || strings.HasPrefix(c.Path, "/dev/")
		if bad || seen[c] || len(out) == maxInferred {
			continue
		}
		seen[c] = true
		out = append(out, c)
	}
	return out
}

func resolve(dir, file string) string {
	if dir == "" || path.IsAbs(file) {
		return path.Clean(file)
	}
	return path.Join(dir, file)
}
