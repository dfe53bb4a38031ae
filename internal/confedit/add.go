package confedit

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"ctxledger.dev/internal/fault"
)

// indentation of a text that has none.
const indentation = "  "

// Add adds an entry to a text, or gives one that is there its value. Errors: those of Find.
func Add(text []byte, e Entry, mine Mine) ([]byte, error) {
	mark, text := split(text)
	if len(bytes.TrimSpace(text)) == 0 {
		end := lineEnd(text)
		whole := layout(wrap(e.Path, e), "", indentation, end)
		return []byte(mark + whole + end), nil
	}
	state, found, err := Find(text, e, mine)
	if err != nil {
		return nil, err
	}
	t, err := parse(text)
	if err != nil {
		return nil, err
	}
	if state != Absent {
		return []byte(mark + string(t.replace(e, found))), nil
	}
	at, rest, err := t.walk(e.Path)
	if err != nil {
		return nil, err
	}
	name, value := "", e.Value
	if len(rest) > 0 {
		name, value = rest[0], wrap(rest[1:], e)
	}
	out := t.insert(at, name, value)
	if state, _, err := Find(out, e, mine); err != nil || state != Same {
		return nil, fault.New(fault.Invalid, op, "nothing can be added to it")
	}
	return []byte(mark + string(out)), nil
}

// split parts a byte order mark from a text.
func split(text []byte) (mark string, rest []byte) {
	if bytes.HasPrefix(text, []byte(bom)) {
		return bom, text[len(bom):]
	}
	return "", text
}

// wrap returns the value of an entry inside new objects, one for each name of a path.
func wrap(path []string, e Entry) json.RawMessage {
	value := string(e.Value)
	if e.List {
		value = "[" + value + "]"
	}
	for i := len(path) - 1; i >= 0; i-- {
		value = "{" + quoted(path[i]) + ":" + value + "}"
	}
	return json.RawMessage(value)
}

// quoted returns a text as JSON.
func quoted(s string) string { return string(hujson.String(s)) }

// replace returns the text with the value of an entry in the place of the value that was found.
func (t tree) replace(e Entry, found json.RawMessage) []byte {
	v, _, err := t.walk(e.Path)
	if err != nil {
		return t.text
	}
	if items, ok := t.items(v); e.List && ok {
		for _, x := range items {
			if bytes.Equal(t.raw(x.value), found) {
				v = x.value
				break
			}
		}
	}
	value := string(e.Value)
	if bytes.Contains(t.raw(v), []byte("\n")) {
		value = layout(e.Value, t.lineIndent(v.StartOffset), t.unit(), lineEnd(t.text))
	}
	return splice(t.text, v.StartOffset, v.EndOffset, value)
}

// insert returns the text with a new item behind the others of an object or a list.
func (t tree) insert(c hujson.Value, name string, value json.RawMessage) []byte {
	end, unit := lineEnd(t.text), t.unit()
	inner := t.text[c.StartOffset+1 : c.EndOffset-1]
	items, _ := t.items(c)
	lines := bytes.Contains(inner, []byte("\n")) || len(items) == 0 && (c.StartOffset == t.top.StartOffset ||
		bytes.Contains(t.text[t.top.StartOffset:t.top.EndOffset], []byte("\n")))
	outer := t.lineIndent(c.StartOffset)
	indent := outer + unit
	if n := len(items); n > 0 && t.beginsLine(items[n-1].start) {
		indent = t.lineIndent(items[n-1].start)
	}
	added, gap := "", " "
	if lines {
		gap = end + indent
		added = layout(value, indent, unit, end)
	} else {
		added = string(value)
		if len(items) == 0 || !bytes.Contains(inner, []byte(`": `)) {
			gap = ""
		}
	}
	if name != "" {
		colon := `":`
		if lines || gap != "" {
			colon = `": `
		}
		added = strings.TrimSuffix(quoted(name), `"`) + colon + added
	}
	if len(items) == 0 {
		kept := bytes.TrimRight(inner, " \t\r\n")
		at := c.StartOffset + 1 + len(kept)
		if lines && !bytes.Contains(inner[len(kept):], []byte("\n")) {
			added += end + outer
		}
		return splice(t.text, at, at, gap+added)
	}
	last := items[len(items)-1]
	tail := bytes.TrimRight(t.text[last.end:c.EndOffset-1], " \t\r\n")
	at := last.end + len(tail)
	if last.comma >= 0 {
		return splice(t.text, at, at, gap+added+",")
	}
	out := splice(t.text, at, at, gap+added)
	return splice(out, last.end, last.end, ",")
}

// splice replaces a part of a text.
func splice(text []byte, from, to int, with string) []byte {
	out := make([]byte, 0, len(text)+len(with))
	out = append(out, text[:from]...)
	out = append(out, with...)
	return append(out, text[to:]...)
}

// layout returns a value on lines of its own, a list of plain values on one. The first line has no indentation.
func layout(value json.RawMessage, indent, unit, end string) string {
	v, err := hujson.Parse(value)
	if err != nil {
		return string(value)
	}
	var b strings.Builder
	lay(&b, value, v, end+indent, unit)
	return b.String()
}

// lay writes a value. line begins a line of what holds it.
func lay(b *strings.Builder, text []byte, v hujson.Value, line, unit string) {
	t := tree{text: text}
	items, ok := t.items(v)
	if !ok || len(items) == 0 {
		b.Write(t.raw(v))
		return
	}
	_, list := v.Value.(*hujson.Array)
	between, inner := ",", line+unit
	if list && !slices.ContainsFunc(items, func(x item) bool { return composite(x.value) }) {
		between, inner, line = ", ", "", ""
	}
	b.WriteByte(text[v.StartOffset])
	for i, x := range items {
		if i > 0 {
			b.WriteString(between)
		}
		b.WriteString(inner)
		if !list {
			b.WriteString(quoted(x.name) + ": ")
		}
		lay(b, text, x.value, line+unit, unit)
	}
	b.WriteString(line)
	b.WriteByte(text[v.EndOffset-1])
}

// composite reports whether a value is an object or a list.
func composite(v hujson.Value) bool { return v.Value.Kind() == '{' || v.Value.Kind() == '[' }

// lineEnd returns how lines of a text end.
func lineEnd(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// lineIndent returns the white space at the beginning of the line of an offset.
func (t tree) lineIndent(at int) string {
	line := t.text[t.lines[t.line(at)-1]:]
	n := 0
	for n < len(line) && (line[n] == ' ' || line[n] == '\t') {
		n++
	}
	return string(line[:n])
}

// beginsLine reports whether only white space is before an offset in its line. It looks at that alone: the line may be the
// whole text, and every item of it is asked about.
func (t tree) beginsLine(at int) bool {
	from := len(bytes.TrimRight(t.text[:at], " \t"))
	return from > 0 && t.text[from-1] == '\n'
}

// unit returns the white space by which an item is indented more than what holds it: that of the first item with a line
// of its own.
func (t tree) unit() string {
	for v := range t.top.All() {
		items, _ := t.items(*v)
		for _, x := range items {
			if !t.beginsLine(x.start) {
				break
			}
			outer, own := t.lineIndent(v.StartOffset), t.lineIndent(x.start)
			if unit, ok := strings.CutPrefix(own, outer); ok && unit != "" {
				return unit
			}
		}
	}
	return indentation
}
