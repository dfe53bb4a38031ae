package shell

import "strings"

// simpleCommands splits a command line into the words of its simple commands, as far as plain
// words and quotes go. The body of a here-document is data and skipped. A redirection operator is a
// word of its own.
func simpleCommands(line string) [][]string {
	var (
		commands [][]string
		words    []string
		s        = &scanner{rest: line}
	)
	flush := func() {
		if len(words) > 0 {
			commands = append(commands, words)
		}
		words = nil
	}
	for {
		w, kind := s.next()
		switch kind {
		case wordEnd:
			flush()
			return commands
		case wordBreak:
			flush()
		case wordRedirect:
			if w == "<<" {
				s.skipHereDocument()
				continue
			}
			words = append(words, redirectMark+w)
		default:
			words = append(words, w)
		}
	}
}

// redirectMark starts a word that is a redirection operator; no shell word contains a NUL.
const redirectMark = "\x00"

// redirections takes the redirections out of words and returns the files that output goes to.
func redirections(words []string) (rest, targets []string) {
	for i := 0; i < len(words); i++ {
		op, is := strings.CutPrefix(words[i], redirectMark)
		if !is {
			rest = append(rest, words[i])
			continue
		}
		if i+1 < len(words) {
			i++
			if (op == ">" || op == ">>") && !strings.HasPrefix(words[i], "&") {
				targets = append(targets, words[i])
			}
		}
	}
	return rest, targets
}

type wordKind int

const (
	wordPlain wordKind = iota
	wordBreak          // ; & | && || newline
	wordRedirect
	wordEnd
)

// scanner cuts a command line into shell words.
type scanner struct {
	rest   string
	bodies []string // of the here-documents so far
}

func (s *scanner) next() (string, wordKind) {
	s.rest = strings.TrimLeft(s.rest, " \t\r")
	if s.rest == "" {
		return "", wordEnd
	}
	switch c := s.rest[0]; c {
	case ';', '\n', '|', '&', '(', ')':
		if strings.HasPrefix(s.rest, "&>") {
			s.rest = s.rest[1:]
			return s.redirect()
		}
		s.rest = s.rest[1:]
		return "", wordBreak
	case '>', '<':
		return s.redirect()
	}
	return s.word()
}

// redirect reads >, >>, < or <<; the file descriptor in front was read as a word and is harmless.
func (s *scanner) redirect() (string, wordKind) {
	n := 1
	if len(s.rest) > 1 && s.rest[1] == s.rest[0] {
		n = 2
	}
	op := s.rest[:n]
	s.rest = strings.TrimPrefix(s.rest[n:], "|")
	return op, wordRedirect
}

// skipHereDocument reads the delimiter and takes the body out of what is left to scan.
func (s *scanner) skipHereDocument() {
	if word, is := strings.CutPrefix(s.rest, "<"); is { // <<<word: no body follows
		s.rest = word
		_, _ = s.next()
		return
	}
	s.rest = strings.TrimPrefix(s.rest, "-")
	delimiter, _ := s.next()
	line, whole, _ := strings.Cut(s.rest, "\n")
	body, end := whole, len(whole)
	for body != "" {
		var l string
		at := len(whole) - len(body)
		l, body, _ = strings.Cut(body, "\n")
		if strings.TrimLeft(l, "\t") == delimiter {
			end = at
			break
		}
	}
	s.bodies = append(s.bodies, whole[:end])
	s.rest = line + "\n" + body
}

// word reads one word, taking quotes and backslashes away.
func (s *scanner) word() (string, wordKind) {
	var b strings.Builder
	quote := byte(0)
	i := 0
	for ; i < len(s.rest); i++ {
		c := s.rest[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case quote != '\'' && c == '\\' && i+1 < len(s.rest):
			i++
			b.WriteByte(s.rest[i])
		case quote == 0 && strings.IndexByte(" \t\r\n;|&()<>", c) >= 0:
			if c == '&' && i == 0 {
				b.WriteByte(c)
				continue
			}
			w := b.String()
			if (c == '>' || c == '<') && isDigits(w) { // 2>file: the number belongs to the operator
				s.rest = s.rest[i:]
				return s.next()
			}
			s.rest = s.rest[i:]
			return w, wordPlain
		default:
			b.WriteByte(c)
		}
	}
	s.rest = ""
	return b.String(), wordPlain
}

func isDigits(w string) bool { return w != "" && strings.Trim(w, "0123456789") == "" }
