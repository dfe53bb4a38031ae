package feedback

import "strings"

// maxDepth bounds how deep wrappings inside wrappings are opened.
const maxDepth = 3

// Words returns what a user message says without what hosts write in the user's name; "" if nothing of it is the
// user's. A tag inside a sentence or a code fence is the user's, and so is one that is not closed.
func Words(text string) string { return words(text, 0) }

func words(text string, depth int) string {
	text = strings.TrimSpace(text)
	for _, m := range hostMessages {
		if !strings.HasPrefix(text, m.begins) {
			continue
		}
		_, said, ok := strings.Cut(text, m.user)
		if m.user == "" || !ok || depth >= maxDepth {
			return ""
		}
		return words(before(said, []string{"</user_message>"}), depth+1)
	}
	if depth < maxDepth {
		for _, name := range sole {
			if said, ok := wrapped(text, name); ok {
				return words(said, depth+1)
			}
		}
	}
	w := scan{s: text, depth: depth, found: make(map[string]int)}
	for w.at < len(w.s) {
		w.line()
	}
	return strings.TrimSpace(w.out.String())
}

// wrapped returns what stands in a wrapping that begins a line.
func wrapped(text, name string) (string, bool) {
	opening := "<" + name + ">"
	i := strings.Index(text, opening)
	if i < 0 || i > 0 && text[i-1] != '\n' && text[i-1] != '>' || strings.Count(text[:i], "```")%2 != 0 {
		return "", false
	}
	said, rest, ok := strings.Cut(text[i+len(opening):], "</"+name+">")
	return said, ok && endsLine(rest)
}

// scan walks over a message line by line.
type scan struct {
	s     string
	at    int // a line begins here, or what follows a block in its line
	depth int
	out   strings.Builder
	found map[string]int // where ends were found last, len(s) for those that do not occur again
}

// line takes the next line, block or fence.
func (w *scan) line() {
	rest := w.s[w.at:]
	line, _, _ := strings.Cut(rest, "\n")
	begin := strings.TrimLeft(line, " \t")
	trimmed := strings.TrimSpace(line)
	switch {
	case strings.HasPrefix(begin, "<"):
		if w.block(len(line) - len(begin)) {
			return
		}
	case strings.HasPrefix(begin, "```"), strings.HasPrefix(begin, "~~~"):
		closing := "\n" + line[:len(line)-len(begin)+3]
		if end := w.find(closing, len(line)); end >= 0 {
			w.keep(end + len(closing)) // what follows in the line of the end is taken as a line
			return
		}
	case lines[trimmed], strings.HasPrefix(begin, caveat):
		w.skip(len(line))
		return
	case trimmed == filesBegin:
		if end := w.find("\n"+filesEnd, len(line)); end >= 0 {
			w.skip(end + 1 + len(filesEnd))
		} else {
			w.at = len(w.s)
		}
		return
	case strings.HasPrefix(begin, instructions):
		if w.instructions(len(line)) {
			return
		}
	}
	w.keep(min(len(line)+1, len(rest)))
}

func (w *scan) keep(n int) {
	w.out.WriteString(w.s[w.at : w.at+n])
	w.at += n
}

// skip leaves out n bytes and the end of the line, if nothing else stands in it.
func (w *scan) skip(n int) {
	w.at += n
	rest := strings.TrimLeft(w.s[w.at:], " \t\r")
	if strings.HasPrefix(rest, "\n") {
		w.at = len(w.s) - len(rest) + 1
	}
}

// find returns where a text occurs from the offset on, counted from the present place, or -1. It looks at no byte twice
// for one text, so that a message takes linear time.
func (w *scan) find(end string, offset int) int {
	from := w.at + offset
	at, ok := w.found[end]
	if !ok || at < from {
		at = len(w.s)
		if i := strings.Index(w.s[from:], end); i >= 0 {
			at = from + i
		}
		w.found[end] = at
	}
	if at == len(w.s) {
		return -1
	}
	return at - w.at
}

// block takes a host's block that begins behind the indent.
func (w *scan) block(indent int) bool {
	name, head := tag(w.s[w.at+indent:])
	treat := tags[name]
	if treat == 0 || treat == inside && (w.depth >= maxDepth || strings.TrimSpace(w.out.String()) != "") {
		return false
	}
	end := "</" + name + ">"
	from := indent + head
	i := w.find(end, from)
	if i < 0 || !endsLine(w.s[w.at+i+len(end):]) {
		return false
	}
	w.write(treat, w.s[w.at+from:w.at+i])
	w.skip(i + len(end))
	return true
}

// write adds what remains of a block.
func (w *scan) write(treat treatment, body string) {
	body = strings.TrimSpace(body)
	switch {
	case treat == inside:
		body = words(body, w.depth+1)
	case treat == ran:
		_, body, _ = strings.Cut(body, "<command>")
		body, _, _ = strings.Cut(body, "</command>")
		body = "! " + strings.TrimSpace(body)
	case treat == shell && body != "":
		body = "! " + body
	case treat == command && body != "":
		w.out.WriteString("/" + strings.TrimPrefix(body, "/") + " ")
		return
	case treat == args && body != "":
	default:
		return
	}
	w.out.WriteString(body + "\n")
}

// tag returns the name of the tag that a text begins with, and the length of the tag; "" for none.
func tag(s string) (name string, length int) {
	const longest, attributes = 40, 500
	n := 1
	for n < len(s) && n <= longest && nameByte(s[n]) {
		n++
	}
	if n == len(s) || s[n] != '>' && s[n] != ' ' {
		return "", 0
	}
	end := strings.IndexAny(s[n:min(len(s), n+attributes)], ">\n<")
	if end < 0 || s[n+end] != '>' {
		return "", 0
	}
	if name = s[1:n]; name == "permissions" { // the tag of Codex has a blank in its name
		name = s[1 : n+end]
	}
	return name, n + end + 1
}

func nameByte(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || b == '-' || b == '_'
}

// endsLine reports whether nothing follows in a line but another block.
func endsLine(rest string) bool {
	rest = strings.TrimLeft(rest, " \t\r")
	return rest == "" || rest[0] == '\n' || rest[0] == '<'
}

// instructions leaves out the AGENTS.md that Codex hands on.
func (w *scan) instructions(line int) bool {
	const begin, end = "<INSTRUCTIONS>", "</INSTRUCTIONS>"
	rest := strings.TrimSpace(w.s[w.at+line : min(len(w.s), w.at+line+100)])
	if !strings.HasPrefix(rest, begin) {
		return false
	}
	i := w.find(end, line)
	if i < 0 {
		return false
	}
	w.skip(i + len(end))
	return true
}
