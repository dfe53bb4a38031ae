package graph

import (
	"errors"
	"strings"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/yamldoc"
)

// longestTried is the longest body, in bytes, that is read again to find what would make it YAML.
const longestTried = 64 << 10

// syntaxError returns the finding for invalid YAML in a body: the probable mistake with its fix, or else the library's message,
// at its line if the library names one.
func syntaxError(source string, body Span, err error) Finding {
	message := err.Error()
	if fe, ok := errors.AsType[*fault.Error](err); ok {
		message = fe.Message
	}
	text := body.In(source)
	starts := lineStarts(text)
	line, rest, named := lineNamed(message)
	line = min(max(line, 1), len(starts))
	name, _, _ := strings.Cut(strings.ToLower(source[1:]), "\n")
	s := syntax{text, starts, body.From, operations[strings.TrimSpace(name)].keys}
	if len(text) <= longestTried {
		if f, likely := s.likely(line); likely {
			return f
		}
	}
	if named {
		body = s.line(line).moved(body.From)
	}
	return Finding{Code: "CG204", Severity: Error, At: body, Message: "the parameters cannot be read: " + rest}
}

// syntax is a body that is no YAML.
type syntax struct {
	text   string
	starts []int
	body   int // where it begins in the source
	keys   map[string]parameter
}

// line returns a line without its end, by its number from 1.
func (s syntax) line(n int) Span {
	from := s.starts[n-1]
	end, _, _ := strings.Cut(s.text[from:], "\n")
	return Span{from, from + len(strings.TrimRight(end, "\r"))}
}

// likely returns the probable mistake in the reported line or an adjacent one: a tab, a colon without a space, a value that needs
// quotes, or text that belongs after the operation.
func (s syntax) likely(noticed int) (Finding, bool) {
	for _, n := range []int{noticed, noticed - 1, noticed + 1} {
		if n < 1 || n > len(s.starts) {
			continue
		}
		for _, guess := range []func(n int) (Finding, bool){s.tab, s.unspaced, s.equals, s.unquoted, s.bare, s.behind} {
			if f, ok := guess(n); ok {
				f.Code, f.Severity, f.At, f.Fix.At = "CG204", Error, f.At.moved(s.body), f.Fix.At.moved(s.body)
				return f, true
			}
		}
	}
	return Finding{}, false
}

// tab finds a line that a tab indents.
func (s syntax) tab(n int) (Finding, bool) {
	at := s.line(n)
	text := at.In(s.text)
	indent := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
	if !strings.Contains(indent, "\t") {
		return Finding{}, false
	}
	at.To = at.From + len(indent)
	if s.known(text[len(indent):]) {
		to := at.To
		for ; n <= len(s.starts) && s.known(strings.TrimLeft(s.line(n).In(s.text), " \t")); n++ {
			to = s.line(n).To
		}
		lines := strings.Split(Span{at.From, to}.In(s.text), "\n")
		for i := range lines {
			lines[i] = strings.TrimLeft(lines[i], " \t")
		}
		return Finding{At: at, Message: "a tab indents this line: YAML takes only spaces", Fix: &Fix{
			Title: "Remove the indentation", At: Span{at.From, to}, Text: strings.Join(lines, "\n")}}, true
	}
	return Finding{At: at, Message: "a tab indents this line: YAML takes only spaces",
		Fix: &Fix{Title: "Indent with spaces", At: at, Text: strings.ReplaceAll(indent, "\t", "  ")}}, true
}

// known reports whether a line begins with a parameter that the operation takes.
func (s syntax) known(line string) bool { return operationSpec{keys: s.keys}.takes(line) }

// unspaced finds a parameter whose value is right after its colon.
func (s syntax) unspaced(n int) (Finding, bool) {
	at := s.line(n)
	key, value, found := strings.Cut(at.In(s.text), ":")
	if _, known := s.keys[key]; !known || !found || value == "" || isKeyLine(at.In(s.text)) {
		return Finding{}, false
	}
	colon := at.From + len(key) + 1
	return Finding{At: at, Message: "YAML needs a space after " + key + ":",
		Fix: &Fix{Title: "Insert a space", At: Span{colon, colon}, Text: " "}}, true
}

// equals finds a parameter with "=" in the place of the colon.
func (s syntax) equals(n int) (Finding, bool) {
	at := s.line(n)
	key, value, found := strings.Cut(at.In(s.text), "=")
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	if _, known := s.keys[key]; !known || !found {
		return Finding{}, false
	}
	return Finding{At: at, Message: "a parameter is written with a colon: " + key + ": …",
		Fix: &Fix{Title: "Write a colon", At: at, Text: key + ": " + value}}, true
}

// unquoted finds a value whose line is valid once it is closed or quoted.
func (s syntax) unquoted(n int) (Finding, bool) {
	at := s.line(n)
	text := at.In(s.text)
	key, value, _ := strings.Cut(text, ":")
	item := isKeyLine(text)
	if dash := len(text) - len(strings.TrimLeft(text, " ")); strings.HasPrefix(text[dash:], "- ") {
		key, value, item = text[:dash+1], text[dash+2:], true
	}
	value = strings.TrimSpace(value)
	if !item || value == "" || value[0] == '|' || value[0] == '>' {
		return Finding{}, false
	}
	at.From += len(key) + 1 + strings.Index(text[len(key)+1:], value)
	at.To = at.From + len(value)
	if list := below(value); list != "" && (key == "block" || key == "to") {
		return Finding{At: at, Message: "/* belongs to each name, not after the list",
			Fix: &Fix{Title: "Write " + list, At: at, Text: list}}, true
	}
	if i := strings.IndexByte("[{\"'", value[0]); i >= 0 {
		end := "]}\"'"[i : i+1]
		if s.reads(s.text[:at.To] + end + s.text[at.To:]) {
			return Finding{At: at, Message: "the " + end + " at the end is missing",
				Fix: &Fix{Title: "Insert " + end, At: Span{at.To, at.To}, Text: end}}, true
		}
	}
	quoted := Quoted(value)
	inner := strings.TrimSuffix(strings.TrimPrefix(value, "'"), "'")
	if len(inner) == len(value)-2 && strings.Count(inner, "'")%2 == 1 {
		quoted = Quoted(inner)
	}
	if !s.reads(s.text[:at.From] + quoted + s.text[at.To:]) {
		return Finding{}, false
	}
	return Finding{At: at, Message: "this text needs quotes: YAML reads a sign in it otherwise (a colon, a bracket, a quote)",
		Fix: &Fix{Title: "Quote the value", At: at, Text: quoted}}, true
}

// bare finds a body of one line without a parameter's name: the document, the prompt, or a parameter written as an item.
func (s syntax) bare(int) (Finding, bool) {
	at := Span{0, len(strings.TrimRight(s.text, " \t\r\n"))}
	text := strings.TrimSpace(at.In(s.text))
	item := strings.TrimPrefix(text, "- ")
	_, asks := s.keys["prompt"]
	fixed := operationSpec{keys: s.keys}.evident(item)
	if fixed == "" && asks && item == text {
		fixed = "prompt: " + Quoted(text)
	}
	if strings.Contains(text, "\n") || isKeyLine(text) || fixed == "" || !s.reads(fixed) {
		return Finding{}, false
	}
	name, _, _ := strings.Cut(fixed, ":")
	return Finding{At: at, Message: "this is no parameter: one begins with its name, such as " + name + ":",
		Fix: &Fix{Title: "Write it as " + name, At: at, Text: fixed}}, true
}

// behind finds a line that is not a parameter, where everything before it is valid YAML.
func (s syntax) behind(n int) (Finding, bool) {
	at := s.line(n)
	text := at.In(s.text)
	if n == 1 || isKeyLine(text) || strings.TrimLeft(text, " -#") != text || !s.reads(s.text[:at.From]) {
		return Finding{}, false
	}
	if f, ok := s.indented(n); ok {
		return f, true
	}
	return Finding{At: at, Message: "this is no parameter: a blank line has to end the operation before text",
		Fix: &Fix{Title: "Insert a blank line", At: Span{at.From, at.From}, Text: "\n"}}, true
}

// indented finds lines that belong to the value before them: they have to be indented. It is so where parameters follow, or where the
// value is one of lines.
func (s syntax) indented(n int) (Finding, bool) {
	at, last, opens := s.line(n), n, false
	for ; last < len(s.starts) && !isKeyLine(s.line(last+1).In(s.text)); last++ {
	}
	for i := n - 1; i > 0 && !opens; i-- {
		line := s.line(i).In(s.text)
		if _, opens = opensScalar([]byte(line)); !opens && isKeyLine(line) {
			key, value, _ := strings.Cut(line, ":")
			opens = strings.TrimSpace(value) == "" && s.keys[strings.TrimSpace(key)].kind == textKind
			break
		}
	}
	at.To = s.line(last).To
	if last == len(s.starts) || s.starts[last] == len(s.text) {
		at.To = len(strings.TrimRight(s.text, "\r\n"))
		if !opens {
			return Finding{}, false
		}
	}
	text := "  " + strings.ReplaceAll(at.In(s.text), "\n", "\n  ")
	if !s.reads(s.text[:at.From] + text + s.text[at.To:]) {
		return Finding{}, false
	}
	return Finding{At: at, Message: "this belongs to the value above it: it has to be indented",
		Fix: &Fix{Title: "Indent it", At: at, Text: text}}, true
}

// below returns the list that "[a, b]/*" means: "[a/*, b/*]"; "": it is none.
func below(value string) string {
	inner, is := strings.CutSuffix(value, "]/*")
	if !is || !strings.HasPrefix(inner, "[") || strings.ContainsAny(inner[1:], "[]\"'") {
		return ""
	}
	names := strings.Split(inner[1:], ",")
	for i := range names {
		names[i] = strings.TrimSpace(names[i]) + "/*"
	}
	if len(names) == 1 {
		return names[0]
	}
	return "[" + strings.Join(names, ", ") + "]"
}

// reads reports whether a text can be read as parameters.
func (s syntax) reads(text string) bool {
	_, err := yamldoc.Fields([]byte(text))
	return err == nil
}

// lineNamed separates "line 3: " from the front of a message.
func lineNamed(message string) (line int, rest string, named bool) {
	after, found := strings.CutPrefix(message, "line ")
	digits, rest, cut := strings.Cut(after, ": ")
	for _, c := range digits {
		if c < '0' || c > '9' || line > 1<<20 {
			return 0, message, false
		}
		line = line*10 + int(c-'0')
	}
	return line, rest, found && cut && digits != ""
}
