package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/confedit"
	"ctxledger.dev/internal/fault"
)

// Plan is what is to be done to configurations. Nothing of it is done yet.
type Plan struct {
	Changes   []Change
	Conflicts []Conflict
	Left      []Left              // what is not removed, or not added
	Same      []sessionfile.Agent // agents for which there is nothing to do
	Ignored   []Ignored           // files that their agents do not read, whatever is written into them

	stale     []string   // files whose receipts are of no use any more
	abandoned []leftover // by killed processes
}

// Left is something that stays as it is.
type Left struct {
	Agent sessionfile.Agent
	Why   string // with its place, for people
}

// Empty reports whether there is nothing to write.
func (p Plan) Empty() bool { return len(p.Changes)+len(p.stale)+len(p.abandoned) == 0 }

// Change is the change of one file.
type Change struct {
	Agent  sessionfile.Agent
	Path   string // as the agent has it
	Holds  string // what of ours is there while it is connected, for people
	Before []byte
	After  []byte
	New    bool // it is made
	Gone   bool // it is removed

	at   present
	note *receipt // what is kept of it; nil: nothing
	// again plans the change anew, for the file as it is by then; nil: there is nothing to change any more.
	again func() (*Change, error)
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
	p.stale = append(p.stale, q.stale...)
	p.abandoned = append(p.abandoned, q.abandoned...)
}

// Connect plans what connects an agent. Entries of our name that others have made are conflicts, and stay unless replace
// is set. Errors, with the path of the file: invalid for one that is not understood; denied for one that cannot be
// written or lies elsewhere; those of reading.
func (m Machine) Connect(h registry.Agent, s registry.Scope, replace bool) (p Plan, err error) {
	p, err = m.plan(h, s, m.files(h, s), replace, func(e edit, p *Plan) (*Change, error) {
		c, conflicts, err := e.connect()
		p.Conflicts = append(p.Conflicts, conflicts...)
		if why := e.file.ignored(h, e.now.text); why != "" && (c == nil || e.file.ignored(h, c.After) != "") {
			p.Ignored = append(p.Ignored, Ignored{h.Name, why})
		}
		return c, err
	})
	if err == nil && len(p.Changes)+len(p.Conflicts) == 0 {
		p.Same = []sessionfile.Agent{h.Name}
	}
	return p, err
}

// plan plans what do makes of each of some configurations of an agent.
func (m Machine) plan(h registry.Agent, s registry.Scope, files []File, replace bool,
	do func(e edit, p *Plan) (*Change, error)) (p Plan, err error) {
	for _, f := range files {
		now, err := m.read(h, s, f.Path)
		if err != nil {
			return Plan{}, of(f.Path, err)
		}
		p.abandoned = append(p.abandoned, m.abandoned(now)...)
		e := edit{h.Name, f, now, m.stored(now.real), replace}
		c, err := do(e, &p)
		if err == nil && c != nil {
			err = canWrite(now)
		}
		if err != nil {
			return Plan{}, of(f.Path, err)
		}
		if c == nil {
			continue
		}
		c.again = func() (*Change, error) {
			if e.now, err = m.read(h, s, f.Path); err != nil {
				return nil, err
			}
			return do(e, &Plan{})
		}
		p.Changes = append(p.Changes, *c)
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
	return out.WithHint("fix or move the file, then try again")
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
	note := &receipt{Version: receiptVersion, Agent: e.agent, Path: e.now.real, Existed: e.now.exists}
	if e.had != nil {
		note.Existed, note.Dirs, note.Wrote = e.had.Existed, e.had.Dirs, slices.Clone(e.had.Wrote)
	}
	if e.had.left(e.now.text) {
		note.Before = e.had.Before
	} else if err := e.before(note); err != nil {
		return nil, nil, err
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
	return &Change{Agent: e.agent, Path: e.file.Path, Holds: e.file.Holds(), Before: e.now.text, After: text,
		New: !e.now.exists, at: e.now, note: note}, conflicts, nil
}

// conflict is one of the file.
func (e edit) conflict(where, found string) Conflict {
	return Conflict{e.agent, e.file.Path, where, found}
}

// before notes what a file that others changed would be without us. An entry that others made under our name is part of it.
func (e edit) before(note *receipt) error {
	text, _, err := e.without(e.now.text)
	if err != nil {
		return err
	}
	if e.file.Whole != "" && (text == nil || programIn(bridgeProgram(string(text))) != "") {
		note.Existed, text = false, nil
	}
	if e.had != nil && empty(e.had.Before) && confedit.Nothing(text) {
		text = e.had.Before
	}
	note.Existed = note.Existed || !confedit.Nothing(text) // others have come to have something in it
	note.Before = text
	return nil
}

// addEntries adds the entries of a JSON file.
func (e edit) addEntries(note *receipt) (text []byte, conflicts []Conflict, err error) {
	text = e.now.text
	for _, x := range e.file.Entries {
		state, found, err := confedit.Find(text, x, mineOf(x))
		if err != nil {
			return nil, nil, err
		}
		if state == confedit.Same {
			continue
		}
		if state == confedit.Different && !e.replace && !e.had.wrote(found) {
			conflicts = append(conflicts, e.conflict(strings.Join(x.Path, "."), string(found)))
			continue
		}
		mine := mineOf(x)
		if g := groupOf(found); g.has(foreign) || g.has(extended) && !e.replace { // theirs is in it, and stays
			if text, err = e.leaveGroup(text, x); err != nil {
				return nil, nil, err
			}
			mine = nobodys
		}
		if text, err = confedit.Add(text, x, mine); err != nil {
			return nil, nil, err
		}
		if !e.had.wrote(x.Value) {
			note.Wrote = append(note.Wrote, x.Value)
		}
	}
	return text, conflicts, nil
}

// leaveGroup takes our commands out of the groups of an event, and those that somebody extended if they are to be replaced.
func (e edit) leaveGroup(text []byte, x confedit.Entry) ([]byte, error) {
	var left []string
	all := e.file.judge(&left)
	return confedit.Strip(text, func(path []string, raw json.RawMessage, line int) confedit.Verdict {
		if len(path) > 1 && path[1] != x.Path[1] {
			return confedit.Keep
		}
		if e.replace && len(path) == 5 && ownerOf(raw) == extended {
			return confedit.Take
		}
		return all(path, raw, line)
	}, confedit.FormerUnknown)
}

// addTable adds the table of a TOML file.
func (e edit) addTable(note *receipt) (text []byte, conflicts []Conflict, err error) {
	state, found, err := confedit.FindTable(e.now.text, *e.file.Table)
	if err != nil || state == confedit.Same {
		return e.now.text, nil, err
	}
	text = e.now.text
	where := strings.Join(e.file.Table.Path, ".")
	if state == confedit.Different {
		args, _ := found["args"].([]any)
		own := tableOwner(found) == ours
		if own && len(args) == 0 { // whatever form its agent gave it: the path of the program has changed
			if text, err = confedit.UpdateTable(text, *e.file.Table); err == nil {
				note.Added = ""
				return text, nil, nil
			}
			text = e.now.text
		}
		if !e.replace && !(own && len(args) == 0) && !e.had.left(e.now.text) {
			return text, []Conflict{e.conflict(where, fmt.Sprint(found))}, nil
		}
		var gone bool
		if text, gone, err = confedit.StripTables(text, [][]string{e.file.Table.Path}, false); err != nil || !gone {
			return nil, nil, fault.New(fault.Invalid, "install.table", "%s is in an unrecognised form",
				where)
		}
	}
	text, note.Added, err = confedit.AddTable(text, *e.file.Table)
	return text, nil, err
}

// putWhole writes a file of our own.
func (e edit) putWhole() ([]byte, []Conflict) {
	want := []byte(e.file.Whole)
	own := e.had.left(e.now.text) || e.file.unedited(e.now.text)
	if !e.now.exists || bytes.Equal(e.now.text, want) || e.replace || own {
		return want, nil
	}
	return e.now.text, []Conflict{e.conflict("the whole file", string(e.now.text))}
}
