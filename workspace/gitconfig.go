package workspace

import "strings"

// gitSetting returns the last value of a setting in a git configuration, as git reads it; section and key
// are in lower case. It does not read included files. found is false when there is no such setting, or the
// text is no valid configuration.
func gitSetting(text, section, key string) (value string, found bool) {
	p := configText{rest: strings.TrimPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "\ufeff")}
	in := ""
	for {
		p.rest = strings.TrimLeft(p.rest, " \t\n")
		switch {
		case p.rest == "":
			return value, found
		case p.rest[0] == '#' || p.rest[0] == ';':
			p.line()
			continue
		case p.rest[0] == '[':
			name, ok := p.header()
			if !ok {
				return "", false
			}
			in = name
			continue
		}
		name, v, ok := p.setting()
		if !ok {
			return "", false
		}
		if in == section && name == key {
			value, found = v, true
		}
	}
}

// configText is the unread rest of a git configuration.
type configText struct{ rest string }

// line reads the rest of a line.
func (p *configText) line() string {
	line, rest, _ := strings.Cut(p.rest, "\n")
	p.rest = rest
	return line
}

// header reads the name of a section in brackets, including a quoted subsection.
func (p *configText) header() (name string, ok bool) {
	quoted := false
	for i := 1; i < len(p.rest); i++ {
		switch c := p.rest[i]; {
		case c == '\n':
			return "", false
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c == ']' && !quoted:
			name, p.rest = p.rest[1:i], p.rest[i+1:]
			return strings.ToLower(name), true
		}
	}
	return "", false
}

// setting reads a name and its value, which is "" without "=".
func (p *configText) setting() (name, value string, ok bool) {
	end := strings.IndexFunc(p.rest, func(c rune) bool {
		return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-')
	})
	if end < 0 {
		end = len(p.rest)
	}
	if end == 0 {
		return "", "", false
	}
	name, p.rest = strings.ToLower(p.rest[:end]), strings.TrimLeft(p.rest[end:], " \t")
	if p.rest == "" || p.rest[0] != '=' {
		left := p.line()
		return name, "", left == "" || left[0] == '#' || left[0] == ';'
	}
	p.rest = strings.TrimLeft(p.rest[1:], " \t")
	value, ok = p.value()
	return name, value, ok
}

// escapes are the escapes of a value; a line break continues it.
var escapes = map[byte]string{'\n': "", '\\': `\`, '"': `"`, 'n': "\n", 't': "\t", 'b': "\b"}

// value reads a value up to the end of its line or a comment, without trailing white space.
func (p *configText) value() (string, bool) {
	var out []byte
	kept, quoted := 0, false
	for i := 0; i < len(p.rest); i++ {
		c := p.rest[i]
		switch {
		case c == '\n', !quoted && (c == '#' || c == ';'):
			p.rest = p.rest[i:]
			p.line()
			return string(out[:kept]), !quoted
		case c == '"':
			quoted = !quoted
			kept = len(out)
			continue
		case c == '\\':
			if i++; i == len(p.rest) {
				return "", false
			}
			text, ok := escapes[p.rest[i]]
			if !ok {
				return "", false
			}
			out = append(out, text...)
			kept = len(out)
			continue
		}
		out = append(out, c)
		if quoted || c != ' ' && c != '\t' {
			kept = len(out)
		}
	}
	p.rest = ""
	return string(out[:kept]), !quoted
}
