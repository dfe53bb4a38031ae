package agents

import (
	"io"
	"path/filepath"
	"slices"
	"strings"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/agents/codex"
	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/fault"
)

// Adapters returns the table of the agents whose session files can be read.
func Adapters() []sessionfile.Adapter {
	return []sessionfile.Adapter{
		claudecode.Adapter(),
		codex.Adapter(),
	}
}

// Hosts returns the names of those agents, as sessions have them.
func Hosts() (out []string) {
	for _, a := range Adapters() {
		out = append(out, string(a.Agent))
	}
	return out
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
	agent, err := sessionfile.DetectFile(path, file)
	if err != nil {
		return sessionfile.Adapter{}, sessionfile.FileError(path, err)
	}
	var labels, hints []string
	for _, a := range Adapters() {
		if a.Agent == agent {
			return a, nil
		}
		labels, hints = append(labels, a.Agent.Label()), append(hints, a.Where)
	}
	return sessionfile.Adapter{}, fault.New(fault.Invalid, "agents.import", "%s is not %s: it is %s", path,
		strings.Join(labels, " or "), agent.Label()).
		WithHint("%s", strings.Join(hints, "; "))
}
