package shellcmd

import (
	"path"
	"slices"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/shell"
)

// A gitRun is one call of git in a command line.
type gitRun struct {
	Name    string   // its command: "commit"; "" for none
	Args    []string // behind the name, without quotes
	Dirs    []string // arguments of -C, each relative to the one before
	Foreign bool     // the repository or the work tree is named by an option
	Instead bool     // it runs only if the command in front of it fails
}

// gitValued are git's own options whose value is the next word.
var gitValued = []string{"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--exec-path"}

// before are the words that may precede the name of a command that runs.
var before = []string{
	"{", "!", "if", "then", "else", "elif", "do", "while", "until", "time", "command", "exec", "nohup", "rtk", "env",
	"nice", "timeout", "stdbuf", "sudo",
}

// maxLine is how much of a command line is searched for calls of git, in bytes.
const maxLine = 64 << 10

// gitCalls returns the calls of git in a command line, without those that a script in quotes makes.
func gitCalls(line string) []gitRun {
	if len(line) > maxLine || !strings.Contains(line, "git") {
		return nil
	}
	var out []gitRun
	op := ""
	for _, c := range shell.Commands(line) {
		if call, ok := gitCall(c.Words); ok {
			call.Instead = op == "||"
			out = append(out, call)
		}
		op = c.Op
	}
	return out
}

// gitCall reads the words of one command.
func gitCall(words []string) (gitRun, bool) {
	var c gitRun
	wrapped := false
	for len(words) > 0 && path.Base(words[0]) != "git" {
		option := wrapped && words[0] != "" && strings.ContainsRune("-0123456789", rune(words[0][0]))
		if !option && !slices.Contains(before, words[0]) {
			return c, false
		}
		wrapped, words = true, words[1:]
	}
	for i := 1; i < len(words); i++ {
		name, value, joined := strings.Cut(words[i], "=")
		if !strings.HasPrefix(name, "-") {
			c.Name, c.Args = words[i], words[i+1:]
			break
		}
		if !joined && slices.Contains(gitValued, name) && i+1 < len(words) {
			i++
			value = words[i]
		}
		switch name {
		case "-C":
			c.Dirs = append(c.Dirs, value)
		case "--git-dir", "--work-tree":
			c.Foreign = true
		}
	}
	return c, len(words) > 0
}

// A commit is one that a command line makes if it succeeds.
type commit struct {
	Subject string // the first line of its message, "" if the command does not say
	Amends  bool
	Quiet   bool // it prints nothing
	Instead bool // it is made only if the command in front of it fails
}

// commitsIn returns the commits that a command line makes, in order.
func commitsIn(line string) []commit {
	var out []commit
	bodies := shell.HereDocuments(line)
	for _, call := range gitCalls(line) {
		if call.Name != "commit" {
			continue
		}
		if c, ok := commitOf(call.Args, bodies); ok {
			c.Instead = call.Instead
			out = append(out, c)
		}
	}
	return out
}

// commitValued are the options of "git commit" whose value is the next word, the short ones by their letters.
var (
	commitValued = []string{"--message", "--file", "--author", "--date", "--template", "--cleanup", "--fixup",
		"--squash", "--reuse-message", "--reedit-message", "--trailer", "--pathspec-from-file"}
	commitLetters   = "mFCct" // with the rest of the word as value, or the next word
	commitRestsOnly = "Su"    // with the rest of the word as value, or none
)

// commitOf reads the arguments of "git commit"; ok is false where it only says what it would do. A message from the
// standard input is the body of the only here-document.
func commitOf(args, bodies []string) (c commit, ok bool) {
	var messages []string
	for _, o := range options(args) {
		switch o.name {
		case "m", "--message":
			messages = append(messages, o.value)
		case "F", "--file":
			if o.value == "-" && len(bodies) == 1 {
				messages = bodies
			}
		case "q", "--quiet":
			c.Quiet = true
		case "--amend":
			c.Amends = true
		case "--dry-run", "--short", "--porcelain", "--long", "--help":
			return c, false
		}
	}
	if len(messages) > 0 { // the further ones are paragraphs
		c.Subject = subject(messages[0])
	}
	return c, true
}

// An option of "git commit": a letter, or a long name with its dashes.
type option struct{ name, value string }

func options(args []string) []option {
	var out []option
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		name, value, joined := strings.Cut(args[i], "=")
		takes := false
		if strings.HasPrefix(name, "--") {
			takes = !joined && slices.Contains(commitValued, name)
		} else {
			var letters []option
			letters, takes = grouped(args[i])
			if len(letters) == 0 {
				continue // a path
			}
			last := letters[len(letters)-1]
			out, name, value = append(out, letters[:len(letters)-1]...), last.name, last.value
		}
		if takes && i+1 < len(args) {
			i++
			value = args[i]
		}
		out = append(out, option{name, value})
	}
	return out
}

// grouped reads a word of short options: "-qam"; takes is true where the next word is the value of the last one.
func grouped(word string) (out []option, takes bool) {
	if !strings.HasPrefix(word, "-") {
		return nil, false
	}
	for i := 1; i < len(word); i++ {
		name, rest := word[i:i+1], word[i+1:]
		if strings.Contains(commitLetters+commitRestsOnly, name) {
			return append(out, option{name, rest}), rest == "" && strings.Contains(commitLetters, name)
		}
		out = append(out, option{name: name})
	}
	return out, false
}

// maxSubject is how much of a subject is kept, in bytes.
const maxSubject = 300

// subject is the first line of a message; of one that a here-document in a substitution gives, the first of its body.
func subject(message string) string {
	if strings.HasPrefix(message, "$(") {
		bodies := shell.HereDocuments(message[len("$("):])
		if len(bodies) == 0 {
			return "" // what another command prints
		}
		message = bodies[0]
	}
	first, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	return chars.Cut(strings.TrimSpace(first), maxSubject)
}
