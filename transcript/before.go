package transcript

import "strings"

// wordsBefore is what the words just read say about the next one.
type wordsBefore struct {
	exit exitCode
	diff diffHead
}

// exitCode follows the words of a text to recognise "exit code 1", "exit status 2", "exited with
// code 1".
type exitCode struct{ exit, code bool }

// next takes the next word and returns the exit code that it completes, as "exit code N".
func (e *exitCode) next(word string) string {
	word = strings.TrimSuffix(word, ".")
	switch {
	case is(word, "exit") || is(word, "exited"):
		*e = exitCode{exit: true}
	case !e.exit:
	case !e.code && is(word, "with"):
	case is(word, "code") || is(word, "status"):
		e.code = true
	case e.code && word != "" && len(word) <= 3 && strings.Trim(word, "0123456789") == "":
		*e = exitCode{}
		return "exit code " + word
	default:
		*e = exitCode{}
	}
	return ""
}

// is compares without regard to case; the length rules out nearly every word at once.
func is(word, want string) bool { return len(word) == len(want) && strings.EqualFold(word, want) }

// diffHead follows the words of a text to distinguish the "a/" and "b/" of a diff's header from directories: it
// counts the words that are still expected to be file names.
type diffHead int

// strip takes the next word and returns it without a diff's prefix.
func (d *diffHead) strip(w string) string {
	switch {
	case w == "--git":
		*d = 2
	case w == "---" || w == "+++":
		*d = 1
	case *d > 0:
		*d--
		if strings.HasPrefix(w, "a/") || strings.HasPrefix(w, "b/") {
			return w[2:]
		}
	}
	return w
}
