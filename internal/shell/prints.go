package shell

import (
	"slices"
	"strings"

	"ctxledger.dev/internal/pattern"
)

// printers are the programs that print lines of a file as they are, with the flags whose value is the next word.
var printers = map[string]string{"cat": "", "nl": "-b -w -s -v -n", "head": "-n -c --lines --bytes",
	"tail": "-n -c --lines --bytes", "sed": "-e", "less": "", "more": ""}

// printing matches a script of sed -n that only prints: 1,50p
var printing = pattern.Lazy(`^[0-9,;$pq +]+$`)

// Printed returns the file of which a command line prints lines as they are, whole or in part, and whether with numbers in
// front: cat, nl, head, tail, sed -n. ok is false for a line that does anything else.
func Printed(line string) (file string, numbered, ok bool) {
	op := "|"
	for i, c := range Commands(line) {
		written := func(output string) bool { return output != "/dev/null" }
		if op != "|" || c.Lost || len(c.Words) == 0 || slices.ContainsFunc(c.Outputs, written) {
			return "", false, false
		}
		name, rest := c.Words[0], c.Words[1:]
		valued, prints := printers[name]
		args := operands(rest, valued)
		if name == "sed" {
			script := slices.IndexFunc(rest, func(w string) bool { return printing().MatchString(w) })
			prints = script >= 0 && slices.Contains(rest, "-n")
			args = slices.DeleteFunc(args, func(w string) bool { return script >= 0 && w == rest[script] })
		}
		switch {
		case !prints, i == 0 && (len(args) != 1 || !literal(args[0])), i > 0 && len(args) > 0:
			return "", false, false
		case i == 0:
			file = resolve(c.Dir, args[0])
		}
		numbers := func(w string) bool { return strings.HasPrefix(w, "-") && strings.ContainsAny(w, "nb") }
		numbered = numbered || name == "nl" || name == "cat" && slices.ContainsFunc(rest, numbers)
		op = c.Op
	}
	return file, numbered, file != ""
}
