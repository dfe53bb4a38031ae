package agents

import (
	"io"
	"path/filepath"
	"slices"
	"strings"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/fault"
)

// Adapters returns what reads session files, of the agents for which something does.
func Adapters() []sessionfile.Adapter {
	return slices.DeleteFunc(registry.Sessions(), func(a sessionfile.Adapter) bool { return a.Decoder == nil })
}

// Hosts returns the names of those agents, as sessions have them.
func Hosts() []string {
	return registry.Names(func(a registry.Agent) bool { return a.Sessions.Decoder != nil })
}

// adapterFor returns the adapter for a file, or what is most like it for one that is not recognised: it may
// have been when its beginning was imported.
func adapterFor(path string, file io.ReaderAt) sessionfile.Adapter {
	if a, err := detect(path, file); err == nil {
		return a
	}
	all := Adapters()
	for _, a := range slices.Backward(all) { // the names of Claude Code's are the least particular
		if a.IsSession(filepath.Base(path)) {
			return a
		}
	}
	return all[0]
}

// detect returns the adapter for a file, or an error that says what else the file is.
func detect(path string, file io.ReaderAt) (sessionfile.Adapter, error) {
	found, err := sessionfile.DetectFile(registry.Sessions(), path, file)
	if err != nil || found.Decoder != nil {
		return found, sessionfile.FileError(path, err)
	}
	var labels, hints []string
	for _, a := range Adapters() {
		labels, hints = append(labels, a.Label), append(hints, a.Where)
	}
	return sessionfile.Adapter{}, fault.New(fault.Invalid, "agents.import", "%s is not %s: it is %s", path,
		strings.Join(labels, " or "), found.Label).
		WithHint("%s", strings.Join(hints, "; "))
}

// WriterFor returns what writes sessions of an agent, by any of its names. Errors: invalid for an agent that has none, with the reason.
func WriterFor(agent string) (sessionfile.Writer, error) {
	a := registry.Of(agent)
	switch {
	case a.Write.Cannot != "":
		return sessionfile.Writer{}, fault.New(fault.Invalid, "agents.write", "cannot write sessions for %s: %s",
			a.Name, a.Write.Cannot).WithHint("sessions can be written for %s", Written())
	case a.Write.Encode == nil:
		return sessionfile.Writer{}, fault.New(fault.Invalid, "agents.write", "cannot continue in unknown agent %q",
			agent).WithHint("sessions can be written for %s", Written())
	}
	return a.Write, nil
}

// Written names the agents for which sessions are written, for people.
func Written() string {
	return strings.Join(registry.Names(func(a registry.Agent) bool { return a.Write.Encode != nil }), " or ")
}
