package install

import (
	"bytes"
	"strings"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/confedit"
)

// Disconnect plans what takes ctxledger out of an agent's configurations. A file that is as Connect left it gets back the
// bytes that it had; any other one loses our entries alone. What others made under our name stays. Errors: those of
// Connect.
func (m Machine) Disconnect(h Host, s Scope) (p Plan, err error) {
	for _, f := range m.files(h, s) {
		now, err := m.read(h, s, f.Path)
		if err != nil {
			return Plan{}, of(f.Path, err)
		}
		if !now.exists {
			continue
		}
		e := edit{agent: h.Agent, file: f, now: now, had: m.receipt(now.real)}
		c, left, err := e.disconnect()
		if err == nil && c != nil {
			err = canWrite(now)
		}
		if err != nil {
			return Plan{}, of(f.Path, err)
		}
		p.Left = append(p.Left, left...)
		if c != nil {
			p.Changes = append(p.Changes, *c)
		}
	}
	if len(p.Changes)+len(p.Left) == 0 {
		p.Same = []sessionfile.Agent{h.Agent}
	}
	return p, nil
}

// disconnect returns the change that disconnects, nil for none, and what stays.
func (e edit) disconnect() (*Change, []string, error) {
	c := &Change{Agent: e.agent, Path: e.file.Path, Before: e.now.text, at: e.now}
	if e.had != nil {
		c.note = &receipt{Dirs: e.had.Dirs} // for the directories; it is not kept
	}
	if e.had != nil && e.had.After == digest(e.now.text) {
		c.After, c.Gone = e.had.Before, !e.had.Existed
		return c, nil, nil
	}
	var left []string
	var err error
	switch {
	case e.file.Table != nil:
		c.After, left, err = e.dropTable()
	case e.file.Whole != "":
		c.After = e.now.text
		if c.Gone = bytes.Equal(e.now.text, []byte(e.file.Whole)); c.Gone {
			c.After = nil
		} else if called(bridgeProgram(string(e.now.text)), "ctxmcp") {
			left = append(left, e.file.Path+" has been changed since it was written: remove it yourself")
		}
	default:
		c.After, left, err = e.dropEntries()
	}
	if err != nil || !c.Gone && bytes.Equal(c.After, e.now.text) {
		return nil, left, err
	}
	c.Gone = c.Gone || e.had != nil && !e.had.Existed && len(bytes.TrimSpace(c.After)) == 0
	return c, left, nil
}

// dropEntries removes our entries from a JSON file: those that were noted, the last first, and any other form of them.
func (e edit) dropEntries() (text []byte, left []string, err error) {
	text = e.now.text
	var undo []confedit.Undo
	for _, x := range e.file.Entries {
		if !e.had.knows(x) {
			undo = append(undo, confedit.Undo{Entry: x})
		}
	}
	if e.had != nil {
		undo = append(undo, e.had.Undo...)
	}
	for i := len(undo) - 1; i >= 0; i-- {
		if text, _, err = confedit.Remove(text, undo[i], mine); err != nil {
			return nil, nil, err
		}
	}
	for _, x := range e.file.Entries {
		state, _, err := confedit.Find(text, x, mine)
		if err == nil && state != confedit.Absent && !e.had.knows(x) {
			left = append(left, strings.Join(x.Path, ".")+" in "+e.file.Path+" was not written by ctxledger: it stays")
		}
	}
	return text, left, nil
}

// dropTable removes our table from a TOML file.
func (e edit) dropTable() (text []byte, left []string, err error) {
	state, found, err := confedit.FindTable(e.now.text, *e.file.Table)
	if err != nil || state == confedit.Absent {
		return e.now.text, nil, err
	}
	where := strings.Join(e.file.Table.Path, ".") + " in " + e.file.Path
	if command, _ := found["command"].(string); !called(command, "ctxmcp") {
		return e.now.text, []string{where + " was not written by ctxledger: it stays"}, nil
	}
	added := ""
	if e.had != nil {
		added = e.had.Added
	}
	text, gone, err := confedit.RemoveTable(e.now.text, *e.file.Table, added)
	if err == nil && !gone {
		left = append(left, where+" is written in a form that is not understood: it stays")
	}
	return text, left, err
}
