package memory

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"ctxledger.dev/internal/pattern"
	"ctxledger.dev/internal/yamldoc"
)

// frontMatter is the fields of a front matter, with keys in lower case.
type frontMatter map[string]string

// People write front matter as YAML, but other programs write values into it without quoting ("description: Use:
// -race # always"), which YAML reads wrongly or not at all. So plain lines "key: value" are taken literally, and
// only what is not made of them is read as YAML.
var (
	plainLine  = pattern.Lazy(`^([A-Za-z_][A-Za-z0-9_-]*)[ \t]*:(?:[ \t]+(.*?))?[ \t]*$`)
	blockValue = pattern.Lazy(`^[|>][-+0-9]*$`)
)

// readFront reads the lines of a front matter. Line numbers of problems count the opening --- too.
func readFront(text string) (frontMatter, []Problem) {
	fields := frontMatter{}
	var problems []Problem
	number := 1
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		number++
		m := plainLine().FindStringSubmatch(line)
		switch {
		case strings.TrimSpace(line) == "" || strings.HasPrefix(strings.TrimSpace(line), "#"):
		case m == nil && line[0] == ' ', m != nil && blockValue().MatchString(m[2]):
			return readYAML(text)
		case m == nil:
			problems = append(problems, Problem{Line: number, Message: "not a line of the form key: value, ignored"})
		default:
			fields[strings.ToLower(m[1])] = unquote(m[2])
		}
	}
	return fields, problems
}

// readYAML reads a front matter that uses more of YAML than plain lines.
func readYAML(text string) (frontMatter, []Problem) {
	var doc map[string]any
	if err := yamldoc.Decode([]byte(text), &doc); err != nil {
		return nil, []Problem{{Message: "the front matter is not YAML: " + err.Error()}}
	}
	fields := frontMatter{}
	for _, key := range slices.Sorted(maps.Keys(doc)) {
		switch v := doc[key].(type) {
		case nil:
		case string:
			fields[strings.ToLower(key)] = strings.TrimSpace(v)
		default:
			fields[strings.ToLower(key)] = fmt.Sprint(v)
		}
	}
	return fields, nil
}

// entry makes an entry of the fields.
func (f frontMatter) entry() (e Entry, problems []Problem) {
	e = Entry{GUID: strings.ToLower(f["guid"]), Name: f["name"], Description: f["description"], Type: f["type"]}
	if !isGUID(e.GUID) {
		e.GUID = ""
	}
	if e.Type == "" {
		e.Type = string(Project)
	}
	for _, key := range slices.Sorted(maps.Keys(f)) {
		if !slices.Contains([]string{"guid", "name", "description", "type"}, key) && !e.trip(key, f[key]) {
			problems = append(problems, Problem{Message: fmt.Sprintf("the field %q is not kept", cut(key, maxType))})
		}
	}
	return e, problems
}

// The fields that exist so that an export can be imported again.
const (
	keySource  = "source"
	keyUpdater = "updated_by"
	keyCreated = "created_at"
	keyUpdated = "updated_at"
	keyScope   = "scope"
)

// trip reads one of these fields, and reports whether it has the form that Format writes: others use the names, too.
func (e *Entry) trip(key, value string) bool {
	author := map[string]*string{keySource: &e.Source, keyUpdater: &e.Updater}[key]
	date := map[string]*time.Time{keyCreated: &e.Created, keyUpdated: &e.Updated}[key]
	switch {
	case key == keyScope && (Scope(value) == Project || Scope(value) == User):
		e.Scope = Scope(value)
		return true
	case author != nil && (value == "user" || byAgent(value) || strings.HasPrefix(value, "import:")):
		*author = value
		return true
	case date != nil:
		at, err := time.Parse(time.RFC3339Nano, value)
		if err == nil {
			*date = at.UTC()
		}
		return err == nil
	}
	return false
}

// misread finds printable values that YAML would not read as the text they are: with characters of
// its own, or like a word, number or date of its own.
var misread = pattern.Lazy(`[:#"'\[\]{},\\]|^[\s\-?!&*|>%@` + "`" + `=~]|\s$|` +
	`(?i)^(?:true|false|yes|no|on|off|y|n|null|[-+.]?[0-9.][-+0-9.,_:ex a-ftz]*|[-+]?\.(?:inf|nan))$`)

// quote returns a value as every reader of front matter understands it.
func quote(s string) string {
	if s == "" || !misread().MatchString(s) && strconv.Quote(s) == `"`+s+`"` {
		return s
	}
	return strconv.Quote(s) // all its escapes are YAML's too
}

// unquote reads a value; one that only looks quoted is taken as it is.
func unquote(s string) string {
	if len(s) < 2 || s[0] != s[len(s)-1] {
		return s
	}
	switch s[0] {
	case '"':
		if t, err := strconv.Unquote(s); err == nil {
			return t
		}
		var t string
		if yamldoc.Decode([]byte(s), &t) == nil {
			return t
		}
	case '\'':
		if inner := s[1 : len(s)-1]; !strings.Contains(strings.ReplaceAll(inner, "''", ""), "'") {
			return strings.ReplaceAll(inner, "''", "'")
		}
	}
	return s
}
