package shell

import "strings"

// Segment is one simple command of a line, as it is written there.
type Segment struct {
	Text  string // without white space around it
	Piped bool   // its output goes to the next one
}

// Segments cuts a command line at its operators outside quotes: ; & | && || and line breaks. Bodies of here-documents are
// left out.
func Segments(line string) []Segment {
	var out []Segment
	from := 0
	for s := (scanner{src: line}); ; {
		w, kind := s.next()
		if kind != wordEnd && (kind != wordBreak || w == "(" || w == ")") {
			continue
		}
		to := s.at
		if text := strings.TrimSpace(line[from:to]); text != "" {
			out = append(out, Segment{Text: text, Piped: w == "|" && !strings.HasPrefix(line[s.pos:], "|")})
		}
		if kind == wordEnd {
			return out
		}
		from = s.pos
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
	src      string
	pos      int      // of what is not read yet
	at       int      // of the word or operator that was read last
	delimits bool     // the next word is the delimiter of a here-document
	open     []string // delimiters of the here-documents whose bodies begin with the next line
	bodies   []string // of the here-documents so far
	nested   int      // substitutions in double quotes around what is read
}

// maxNested bounds the substitutions in double quotes inside one another that are known as such.
const maxNested = 16

// substitutionEnd returns where the substitution ends that begins with what is not read yet: its quotes and
// here-documents are its own.
func (s *scanner) substitutionEnd() int {
	in := scanner{src: s.src, pos: s.pos + len("$("), nested: s.nested + 1}
	for open := 1; ; {
		switch w, kind := in.next(); {
		case kind == wordEnd:
			return len(s.src)
		case kind == wordBreak && w == "(":
			open++
		case kind == wordBreak && w == ")":
			if open--; open == 0 {
				return in.pos
			}
		}
	}
}

// next reads a word or an operator. The body of a here-document is neither.
func (s *scanner) next() (string, wordKind) {
	w, kind := s.token()
	if s.delimits && kind == wordPlain {
		s.open = append(s.open, w)
	}
	s.delimits = kind == wordRedirect && w == "<<"
	return w, kind
}

func (s *scanner) token() (string, wordKind) {
	for s.pos < len(s.src) && strings.IndexByte(" \t\r", s.src[s.pos]) >= 0 {
		s.pos++
	}
	s.at = s.pos
	if s.pos == len(s.src) {
		s.skipBodies()
		return "", wordEnd
	}
	switch c := s.src[s.pos]; c {
	case ';', '\n', '|', '&', '(', ')':
		s.pos++
		if c == '&' && s.ahead(">") {
			return s.redirect()
		}
		if c == '\n' {
			s.skipBodies()
		}
		return string(c), wordBreak
	case '>', '<':
		return s.redirect()
	}
	return s.word()
}

// ahead reports whether what is not read yet begins with text.
func (s *scanner) ahead(text string) bool { return strings.HasPrefix(s.src[s.pos:], text) }

// redirect reads >, >>, >&, <, <&, << or <<<; the file descriptor in front was read as a word and is harmless.
func (s *scanner) redirect() (string, wordKind) {
	from := s.pos
	for _, op := range []string{"<<<", "<<", ">>", ">&", "<&", s.src[from : from+1]} {
		if s.ahead(op) {
			s.pos += len(op)
			break
		}
	}
	op := s.src[from:s.pos]
	if s.ahead("|") || op == "<<" && s.ahead("-") {
		s.pos++
	}
	return op, wordRedirect
}

// skipBodies takes the bodies of here-documents out of what is left to read.
func (s *scanner) skipBodies() {
	for _, delimiter := range s.open {
		from, to := s.pos, len(s.src)
		for s.pos < len(s.src) {
			line, _, _ := strings.Cut(s.src[s.pos:], "\n")
			start := s.pos
			s.pos = min(start+len(line)+1, len(s.src))
			if strings.TrimLeft(line, "\t") == delimiter {
				to = start
				break
			}
		}
		s.bodies = append(s.bodies, s.src[from:to])
	}
	s.open = nil
}

// word reads one word, taking quotes and backslashes away. Those of a substitution stay: it is replaced by what it prints.
func (s *scanner) word() (string, wordKind) {
	var b strings.Builder
	quote := byte(0)
	for ; s.pos < len(s.src); s.pos++ {
		c := s.src[s.pos]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"' || c == '`'):
			quote = c
		case quote != '\'' && c == '\\' && s.pos+1 < len(s.src):
			s.pos++
			b.WriteByte(s.src[s.pos])
			continue
		case quote == '"' && s.ahead("$(") && s.nested < maxNested:
			end := s.substitutionEnd()
			b.WriteString(s.src[s.pos:end])
			s.pos = end - 1
			continue
		case quote == 0 && strings.IndexByte(" \t\r\n;|&()<>", c) >= 0:
			if w := b.String(); (c != '>' && c != '<') || !isDigits(w) {
				return w, wordPlain
			}
			return s.redirect() // 2>file: the number belongs to the operator
		default:
			b.WriteByte(c)
			continue
		}
		if c == '`' {
			b.WriteByte(c)
		}
	}
	return b.String(), wordPlain
}

func isDigits(w string) bool { return w != "" && strings.Trim(w, "0123456789") == "" }
