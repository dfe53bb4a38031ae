package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/confedit"
	"ctxledger.dev/internal/fault"
)

// Plan is what is to be done to configurations. Nothing of it is done yet.
type Plan struct {
	Changes   []Change
	Conflicts []Conflict
	Left      []string            // what is not removed, and why, for people
	Same      []sessionfile.Agent // agents for which there is nothing to do
	Ignored   []Ignored           // files that their agents do not read, whatever is written into them
}

// Change is the change of one file.
type Change struct {
	Agent  sessionfile.Agent
	Path   string // as the agent has it
	Before []byte
	After  []byte
	New    bool // it is made
	Gone   bool // it is removed

	at   present
	note *receipt // what is kept of it; nil: nothing
}

// Conflict is an entry of ours that is there already and that somebody else has made, or changed.
type Conflict struct {
	Agent sessionfile.Agent
	Path  string // of the file
	Where string // of the entry in it
	Found string // as it is
}

// Ignored is a file that its agent does not read as it is.
type Ignored struct {
	Agent sessionfile.Agent
	Why   string // with the path and what to do, for people
}

// Add puts another plan behind this one.
func (p *Plan) Add(q Plan) {
	p.Changes = append(p.Changes, q.Changes...)
	p.Conflicts = append(p.Conflicts, q.Conflicts...)
	p.Left = append(p.Left, q.Left...)
	p.Same = append(p.Same, q.Same...)
	p.Ignored = append(p.Ignored, q.Ignored...)
}

// Connect plans what connects an agent. Entries of our name that others have made are conflicts, and stay unless replace
// is set. Errors, with the path of the file: invalid for one that is not understood; denied for one that cannot be
// written or lies elsewhere; those of reading.
func (m Machine) Connect(h Host, s Scope, replace bool) (p Plan, err error) {
	for _, f := range m.files(h, s) {
		now, err := m.read(h, s, f.Path)
		if err != nil {
			return Plan{}, of(f.Path, err)
		}
		e := edit{h.Agent, f, now, m.receipt(now.real), replace}
		c, conflicts, err := e.connect()
		if err == nil && c != nil {
			err = canWrite(now)
		}
		if err != nil {
			return Plan{}, of(f.Path, err)
		}
		p.Conflicts = append(p.Conflicts, conflicts...)
		if c != nil {
			p.Changes = append(p.Changes, *c)
		}
		if why := f.ignored(h, now.text); why != "" && (c == nil || f.ignored(h, c.After) != "") {
			p.Ignored = append(p.Ignored, Ignored{h.Agent, why})
		}
	}
	if len(p.Changes)+len(p.Conflicts) == 0 {
		p.Same = []sessionfile.Agent{h.Agent}
	}
	return p, nil
}

// of names the file of an error.
func of(path string, err error) error {
	message := err.Error()
	if !strings.Contains(message, path) {
		message = path + ": " + message
	}
	out := fault.New(fault.CodeOf(err), "install", "%s; nothing was written", message)
	if hint := fault.HintOf(err); hint != "" {
		return out.WithHint("%s", hint)
	}
	return out.WithHint("mend the file, or move it away, and try again")
}

// edit is the work at one file.
type edit struct {
	agent   sessionfile.Agent
	file    File
	now     present
	had     *receipt // of an earlier edit
	replace bool
}

// connect returns the change that connects, nil for none.
func (e edit) connect() (*Change, []Conflict, error) {
	note := &receipt{Version: receiptVersion, Agent: e.agent, Path: e.now.real, Existed: e.now.exists,
		Before: e.now.text}
	if e.had != nil && e.had.After == digest(e.now.text) { // what came before the first edit counts
		note.Existed, note.Before, note.Dirs = e.had.Existed, e.had.Before, e.had.Dirs
	}
	if e.had != nil {
		note.Undo = slices.Clone(e.had.Undo)
	}
	var text []byte
	var conflicts []Conflict
	var err error
	switch {
	case e.file.Table != nil:
		text, conflicts, err = e.addTable(note)
	case e.file.Whole != "":
		text, conflicts = e.putWhole()
	default:
		text, conflicts, err = e.addEntries(note)
	}
	if err != nil || bytes.Equal(text, e.now.text) && e.now.exists {
		return nil, conflicts, err
	}
	if len(conflicts) > 0 && !e.now.exists {
		return nil, conflicts, nil
	}
	note.After = digest(text)
	return &Change{Agent: e.agent, Path: e.file.Path, Before: e.now.text, After: text, New: !e.now.exists,
		at: e.now, note: note}, conflicts, nil
}

// conflict is one of the file.
func (e edit) conflict(where, found string) Conflict {
	return Conflict{e.agent, e.file.Path, where, found}
}

// addEntries adds the entries of a JSON file.
func (e edit) addEntries(note *receipt) (text []byte, conflicts []Conflict, err error) {
	text = e.now.text
	for _, x := range e.file.Entries {
		state, found, err := confedit.Find(text, x, mine)
		if err != nil {
			return nil, nil, err
		}
		if state == confedit.Same {
			continue
		}
		if state == confedit.Different && !e.replace && !e.had.wrote(x, found) {
			conflicts = append(conflicts, e.conflict(strings.Join(x.Path, "."), string(found)))
			continue
		}
		var u confedit.Undo
		if text, u, err = confedit.Add(text, x, mine); err != nil {
			return nil, nil, err
		}
		note.Undo = noted(note.Undo, u, found)
	}
	return text, conflicts, nil
}

// noted adds an edit to those of a receipt. One that it replaces gives it what it replaced itself.
func noted(all []confedit.Undo, u confedit.Undo, found json.RawMessage) []confedit.Undo {
	for i, old := range all {
		if slices.Equal(old.Path, u.Path) && old.List == u.List && (u.Was == nil || sameValue(old.Value, found)) {
			if u.Was != nil {
				u.Was, u.Made, u.Inside, u.Blank = old.Was, old.Made, old.Inside, old.Blank
				all[i] = u
				return all
			}
			return append(slices.Delete(all, i, i+1), u)
		}
	}
	return append(all, u)
}

// addTable adds the table of a TOML file.
func (e edit) addTable(note *receipt) (text []byte, conflicts []Conflict, err error) {
	state, found, err := confedit.FindTable(e.now.text, *e.file.Table)
	if err != nil || state == confedit.Same {
		return e.now.text, nil, err
	}
	text = e.now.text
	if state == confedit.Different {
		ours := e.had != nil && e.had.After == digest(e.now.text)
		where := strings.Join(e.file.Table.Path, ".")
		if !e.replace && !ours {
			return text, []Conflict{e.conflict(where, fmt.Sprint(found))}, nil
		}
		var gone bool
		if text, gone, err = confedit.RemoveTable(text, *e.file.Table, ""); err != nil || !gone {
			return nil, nil, fault.New(fault.Invalid, "install.table", "%s is there in a form that is not understood",
				where)
		}
	}
	text, note.Added, err = confedit.AddTable(text, *e.file.Table)
	return text, nil, err
}

// putWhole writes a file of our own.
func (e edit) putWhole() ([]byte, []Conflict) {
	want := []byte(e.file.Whole)
	ours := e.had != nil && e.had.After == digest(e.now.text)
	if !e.now.exists || bytes.Equal(e.now.text, want) || e.replace || ours {
		return want, nil
	}
	return e.now.text, []Conflict{e.conflict("the whole file", string(e.now.text))}
}
