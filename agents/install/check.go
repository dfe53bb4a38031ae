package install

import (
	"debug/buildinfo"
	"encoding/json"
	"io/fs"
	"runtime"
	"slices"
	"strings"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/internal/confedit"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
)

// State says how an entry of ours is in a configuration.
type State string

// The states.
const (
	Connected State = "connected"
	Missing   State = "missing"
	Differs   State = "differs" // there, but not as it would be written now
	Unread    State = "unread"  // the file cannot be read, or the agent reads nothing of it
)

// Status is the state of one entry.
type Status struct {
	Path    string `json:"path"`              // of the file
	Entry   string `json:"entry"`             // where in it
	State   State  `json:"state"`             //
	Program string `json:"program,omitempty"` // that it starts
	Problem string `json:"problem,omitempty"` // what is wrong with the file, the entry or its program
}

// Check says how the entries of an agent are in its configurations. Nothing is started.
func (m Machine) Check(h registry.Agent, s registry.Scope) (out []Status) {
	for _, f := range m.files(h, s) {
		now, err := m.read(h, s, f.Path)
		var all []Status
		switch {
		case err != nil:
			all = []Status{{Entry: "the file", State: Unread, Problem: err.Error()}}
		case f.Table != nil:
			all = []Status{checkTable(now, *f.Table)}
		case f.Whole != "":
			all = []Status{checkWhole(now, f.Whole)}
		default:
			all = checkEntries(now, f.Entries)
			isThere := func(s Status) bool { return s.State != Missing }
			if why := f.ignored(h, now.text); why != "" && slices.ContainsFunc(all, isThere) {
				all = []Status{{Entry: "the file", State: Unread, Problem: why}}
			}
		}
		for _, st := range all {
			st.Path = f.Path
			if err := CheckProgram(st.Program); st.Program != "" && err != nil {
				st.Problem = err.Error()
			}
			out = append(out, st)
		}
	}
	return out
}

var stateOf = map[confedit.State]State{confedit.Absent: Missing, confedit.Same: Connected, confedit.Different: Differs}

func checkEntries(now present, entries []confedit.Entry) (out []Status) {
	for _, e := range entries {
		state, found, err := confedit.Find(now.text, e, mineOf(e))
		if err != nil {
			return []Status{{Entry: "the file", State: Unread, Problem: err.Error()}}
		}
		st := Status{Entry: strings.Join(e.Path, "."), State: stateOf[state]}
		if plain, ok := confedit.Plain(found); ok && len(found) > 0 {
			st.Program = startedBy(plain)
		}
		out = append(out, st)
	}
	return out
}

// startedBy returns the program that an entry starts: that of ours, in a group of hooks; "" if a shell starts it.
func startedBy(entry json.RawMessage) string {
	if g := groupOf(entry); len(g.hooks) > 0 {
		if !g.has(ours) {
			return ""
		}
		entry = g.hooks[slices.Index(g.owners, ours)]
	}
	program, _, exec := startedOf(entry)
	if split, ok := words(program); ok && !exec {
		return split[0]
	}
	return program
}

func checkTable(now present, t confedit.Table) Status {
	st := Status{Entry: strings.Join(t.Path, ".")}
	state, found, err := confedit.FindTable(now.text, t)
	if err != nil {
		return Status{Entry: "the file", State: Unread, Problem: err.Error()}
	}
	st.State = stateOf[state]
	st.Program, _ = found["command"].(string)
	return st
}

func checkWhole(now present, want string) Status {
	st := Status{Entry: "the whole file", State: Differs, Program: bridgeProgram(string(now.text))}
	switch {
	case !now.exists:
		st.State = Missing
	case string(now.text) == want:
		st.State = Connected
	}
	return st
}

// module is the path of ours, which Go writes into programs.
const module = "ctxledger.dev"

// CheckProgram refuses a path that is not a program of ours, without starting it. Errors: not_found, invalid, denied.
func CheckProgram(path string) error {
	const op = "install.program"
	f, info, err := safefs.OpenFile(path)
	switch {
	case err != nil && fault.Is(err, fault.Invalid):
		return err
	case err != nil:
		return fault.New(fault.NotFound, op, "%s does not exist or cannot be read", path)
	}
	defer f.Close() // only read
	if runtime.GOOS != "windows" && info.Mode().Perm()&fs.FileMode(0o111) == 0 {
		return fault.New(fault.Denied, op, "%s cannot be run", path)
	}
	built, err := buildinfo.Read(f)
	if err != nil || built.Main.Path != module {
		return fault.New(fault.Invalid, op, "%s is not a ctxledger program", path)
	}
	return nil
}
