package confedit

import (
	"bytes"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"ctxledger.dev/internal/fault"
)

// maxTOML bounds a TOML text, in bytes. People write them; and the parser recurses, with less than a kilobyte for each.
const maxTOML = 512 << 10

// Table is a table of a TOML text.
type Table struct {
	Path []string `json:"path"` // names that need no quotes
	Body string   `json:"body"` // its lines, which end in "\n"
}

// parseTOML reads a text. Errors: invalid, too_large.
func parseTOML(text []byte) (map[string]any, error) {
	if len(text) > maxTOML {
		return nil, fault.New(fault.TooLarge, op, "it has more than %d bytes", maxTOML)
	}
	var all map[string]any
	if err := toml.Unmarshal(bytes.TrimPrefix(text, []byte(bom)), &all); err != nil {
		return nil, fault.New(fault.Invalid, op, "it is not TOML: %s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	return all, nil
}

// value returns the value at a path, nil if there is none.
func value(all map[string]any, path []string) any {
	var at any = all
	for _, name := range path {
		m, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = m[name]
	}
	return at
}

// FindTable says whether a table is there, with the values of its body and possibly tables below it, and returns its
// values. Errors: invalid for a text that is not TOML; too_large.
func FindTable(text []byte, t Table) (State, map[string]any, error) {
	all, err := parseTOML(text)
	if err != nil {
		return Absent, nil, err
	}
	found := value(all, t.Path)
	if found == nil {
		return Absent, nil, nil
	}
	have, ok := found.(map[string]any)
	want, err := parseTOML([]byte(t.Body))
	if !ok || err != nil {
		return Different, nil, err
	}
	if sameTOML(have, want) {
		return Same, have, nil
	}
	return Different, have, nil
}

// sameTOML compares the values of a table with those that it should have, whatever their form. A list of nothing may be
// left out, as Codex does when it writes the file. What else the table has was added for its user, and is no difference.
func sameTOML(have, want map[string]any) bool {
	for name, v := range want {
		found, there := have[name]
		if list, ok := v.([]any); ok && len(list) == 0 && !there {
			continue
		}
		if !there || !sameValues(found, v) {
			return false
		}
	}
	return true
}

// text returns the lines of a table.
func (t Table) text(end string) string {
	return strings.ReplaceAll("["+strings.Join(t.Path, ".")+"]\n"+t.Body, "\n", end)
}

// AddTable adds a table at the end of a text. It returns what it added, for RemoveTable. Errors: those of FindTable;
// conflict if the table is there; invalid if it cannot be.
func AddTable(text []byte, t Table) (out []byte, added string, err error) {
	switch state, _, err := FindTable(text, t); {
	case err != nil:
		return nil, "", err
	case state != Absent:
		return nil, "", fault.New(fault.Conflict, op, "table %s exists", strings.Join(t.Path, "."))
	}
	end := lineEnd(text)
	if _, rest := split(text); len(rest) > 0 {
		if !bytes.HasSuffix(rest, []byte("\n")) {
			added = end
		}
		added += end
	}
	added += t.text(end)
	out = append(bytes.Clone(text), added...)
	if state, _, err := FindTable(out, t); err != nil || state != Same {
		return nil, "", fault.New(fault.Invalid, op, "cannot add table %s: %q is not an open table",
			strings.Join(t.Path, "."), t.Path[0])
	}
	return out, added, nil
}

// RemoveTable takes a table and the tables below it out of a text. added is what AddTable returned, or "": where it is still
// there, the text is as it was before. fresh and found are those of StripTables. Errors: those of FindTable.
func RemoveTable(text []byte, t Table, added string, fresh bool) (out []byte, found bool, err error) {
	state, _, err := FindTable(text, t)
	if err != nil || state == Absent {
		return text, false, err
	}
	if added != "" && bytes.Count(text, []byte(added)) == 1 {
		out := bytes.Replace(text, []byte(added), nil, 1)
		if state, _, err := FindTable(out, t); err == nil && state == Absent {
			return out, true, nil
		}
	}
	return StripTables(text, [][]string{t.Path}, fresh)
}

// ownLines returns the lines of a table without the comments and blank lines at their end, which are about what follows.
func ownLines(lines []byte) []byte {
	for {
		rest := bytes.TrimRight(lines, " \t\r\n")
		from := bytes.LastIndexByte(rest, '\n') + 1
		if line := bytes.TrimSpace(rest[from:]); from > 0 && bytes.HasPrefix(line, []byte("#")) {
			lines = rest[:from]
			continue
		}
		if n := bytes.IndexByte(lines[len(rest):], '\n'); n >= 0 {
			return lines[:len(rest)+n+1]
		}
		return lines
	}
}
