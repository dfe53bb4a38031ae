package install

import (
	"bytes"
	"os"
	"slices"
	"strings"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/confedit"
)

// Disconnect plans what takes ctxledger out of an agent's configurations. A file that is as Connect left it gets back the
// bytes that it had; any other one loses our entries alone, which are known by the programs that they start. What others
// made under our name, or extended, stays and is named. Errors: those of Connect.
func (m Machine) Disconnect(h registry.Agent, s registry.Scope) (p Plan, err error) {
	p, err = m.plan(h, s, m.everyFile(h, s), false, func(e edit, p *Plan) (*Change, error) {
		c, left, err := e.disconnect()
		for _, why := range left {
			p.Left = append(p.Left, Left{h.Name, why})
		}
		if c == nil && e.had != nil {
			p.stale = append(p.stale, e.now.real)
		}
		return c, err
	})
	if err == nil && len(p.Changes)+len(p.Left) == 0 {
		p.Same = []sessionfile.Agent{h.Name}
	}
	return p, err
}

// everyFile returns the configurations of an agent at each of the paths at which it may have them and has one: which of
// them counts may have changed since.
func (m Machine) everyFile(h registry.Agent, s registry.Scope) (out []File) {
	for _, f := range m.files(h, s) {
		at := f.Path
		for _, path := range slices.Compact(append([]string{at}, f.Others...)) {
			if _, err := os.Lstat(path); err == nil || path == at {
				f.Path = path
				out = append(out, f)
			}
		}
	}
	return out
}

// disconnect returns the change that disconnects, nil for none, and what stays.
func (e edit) disconnect() (*Change, []string, error) {
	if !e.now.exists {
		return nil, nil, nil
	}
	c := &Change{Agent: e.agent, Path: e.file.Path, Holds: e.file.Holds(), Before: e.now.text, at: e.now}
	if e.had != nil {
		c.note = &receipt{Dirs: e.had.Dirs} // for the directories; it is not kept
	}
	if e.had.left(e.now.text) {
		c.After, c.Gone = e.had.Before, !e.had.Existed
		_, left, err := e.without(c.After) // what stays in it
		if err != nil {
			left = nil // it was no such file
		}
		if !c.Gone && bytes.Equal(c.After, c.Before) {
			c = nil
		}
		return c, left, nil
	}
	after, left, err := e.without(e.now.text)
	if err != nil {
		return nil, left, err
	}
	c.After = after
	if e.file.Whole != "" {
		c.Gone = after == nil
	}
	if e.had != nil && empty(e.had.Before) && confedit.Nothing(after) {
		c.After, c.Gone = e.had.Before, !e.had.Existed
	}
	if !c.Gone && bytes.Equal(c.After, e.now.text) {
		return nil, left, nil
	}
	return c, left, nil
}

// empty reports whether a text is blank, with or without a byte order mark.
func empty(text []byte) bool {
	return len(bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))) == 0
}

// without returns the text without our entries, nil for a file that goes, and what stays of them.
func (e edit) without(text []byte) (out []byte, left []string, err error) {
	switch {
	case e.file.Table != nil:
		return e.withoutTables(text)
	case e.file.Whole != "":
		if e.file.unedited(text) {
			return nil, nil, nil
		}
		if programIn(bridgeProgram(string(text))) != "" {
			left = append(left, e.file.Path+" was changed after it was written: not removed; remove it yourself")
		}
		return text, left, nil
	}
	out, err = confedit.Strip(text, e.file.judge(&left), e.had.former())
	return out, left, err
}

// withoutTables returns a TOML file without our tables.
func (e edit) withoutTables(text []byte) (out []byte, left []string, err error) {
	own, left, err := e.file.tables(text)
	if err != nil || len(own) == 0 {
		return text, left, err
	}
	fresh := false
	if e.had != nil {
		before, err := confedit.Tables(e.had.Before, e.file.Table.Path[:1])
		fresh = err == nil && before == nil
		if len(own) == 1 {
			if out, gone, err := confedit.RemoveTable(text, *e.file.Table, e.had.Added, fresh); err == nil && gone {
				return e.putBack(out), left, nil
			}
		}
	}
	out, gone, err := confedit.StripTables(text, own, fresh)
	if err != nil {
		return nil, nil, err
	}
	if !gone {
		for _, path := range own {
			left = append(left, strings.Join(path, ".")+" in "+e.file.Path+
				" is in an unrecognised form: not removed; remove it yourself")
		}
		return text, left, nil
	}
	return e.putBack(out), left, nil
}

// putBack adds the table that ours replaced, if there was one.
func (e edit) putBack(text []byte) []byte {
	if e.had == nil {
		return text
	}
	body := confedit.TableText(e.had.Before, e.file.Table.Path)
	if body == "" {
		return text
	}
	out := bytes.Clone(text)
	if len(out) > 0 && !bytes.HasSuffix(out, []byte("\n")) {
		out = append(out, '\n')
	}
	out = append(out, body...)
	if state, _, err := confedit.FindTable(out, *e.file.Table); err != nil || state == confedit.Absent {
		return text
	}
	return out
}
