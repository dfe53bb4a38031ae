package trust

import (
	"bytes"
	"encoding/json"

	"ctxledger.dev/config"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/tokens"
	"ctxledger.dev/workspace"
)

// Approved is a summarizer that may be used: the user's own, or one that a person has confirmed for its workspace.
// The zero value approves nothing.
type Approved struct {
	ask    Ask
	finder finder
	models *tokens.Registry
}

// Summarizer returns what may be used, with the vendor's defaults. Kind "": nothing.
func (a Approved) Summarizer() config.Summarizer { return a.ask.Summarizer }

// Ask returns what was approved. Programs of the user's own have no digest.
func (a Approved) Ask() Ask { return a.ask }

// Own reports whether the user's own configuration names it, so that nothing had to be confirmed.
func (a Approved) Own() bool { return a.finder.own }

// Models returns the models that the configuration knows.
func (a Approved) Models() *tokens.Registry { return a.models }

// Exec is a program to be run now.
type Exec struct {
	Path string
	Args []string // without the program's name
	Dir  string   // the directory of the configuration: relative arguments are relative to it
	Env  []string // nil: that of this process
}

// Program returns the program of a setting, command or key_command, to be run at once: it has been looked at again.
// Errors: denied when it is not what was approved, by a change of its file or of one that it is given.
func (a Approved) Program(setting string) (Exec, error) {
	const op = "trust.program"
	for _, p := range a.ask.Programs {
		if p.Setting != setting {
			continue
		}
		x := Exec{Path: p.Path, Args: p.Args, Dir: a.finder.dir}
		if a.finder.own {
			return x, nil
		}
		now, err := a.finder.program(setting, append([]string{p.Path}, p.Args...))
		if err != nil {
			return Exec{}, err
		}
		if !same(now, p) {
			return Exec{}, fault.New(fault.Denied, op, "%s has changed since it was confirmed",
				quote(p.Path)).WithHint("%s", hint)
		}
		x.Env = few(a.finder.env)
		return x, nil
	}
	return Exec{}, fault.New(fault.Denied, op, "no program is approved as %s", setting)
}

// hint is the way out for what is not confirmed.
const hint = "`ctxledger config trust` shows what it asks for and confirms it, on a terminal"

// passed are the variables that a workspace's program sees: what programs need to run and to find the user's
// settings, and nothing that holds a secret by its nature.
var passed = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR",
	"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
	"SystemRoot", "SystemDrive", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TEMP", "TMP", "PATHEXT", "ComSpec",
}

// few returns the variables that a workspace's program sees.
func few(e env.Env) []string {
	out := []string{}
	for _, name := range passed {
		if v := e.Lookup(name); v != "" {
			out = append(out, name+"="+v)
		}
	}
	return out
}

// Check returns the summarizer of a workspace if it may be used. It never asks. Errors: not_found when none is
// configured; invalid when a configuration cannot be used; denied, with the way out, for one of the workspace's that
// no person has confirmed as it is; those of finding its programs.
func Check(e env.Env, ws workspace.Workspace) (Approved, error) {
	a, where, err := wanted(e, ws)
	if err != nil || a.finder.own {
		return a, err
	}
	switch kept := readConsent(ws, ws.Root); {
	case kept == nil:
		return Approved{}, denied("%s asks for %s, which has not been confirmed", where, a.ask.What())
	case !same(kept.Ask, a.ask):
		return Approved{}, denied("%s asks for %s, which has changed since it was confirmed", where, a.ask.What())
	}
	return a, nil
}

func denied(format string, args ...any) error {
	return fault.New(fault.Denied, "trust.check", format, args...).WithHint("%s", hint)
}

// wanted returns what a workspace's configuration asks for, as if it were approved, and where it is written.
func wanted(e env.Env, ws workspace.Workspace) (Approved, config.Source, error) {
	const op = "trust.check"
	c, problems := config.Load(e, ws.Root, ws.State)
	from := c.SummarizerFrom
	if c.Summarizer == nil {
		for _, p := range problems {
			if p.Instead != "" {
				return Approved{}, from, fault.New(fault.Invalid, op, "no model can be asked: %s", p).WithHint("%s",
					p.Hint)
			}
		}
		return Approved{}, from, fault.New(fault.NotFound, op, "no model is configured to write summaries").
			WithHint("name one under summarizer in %s, or use mode intent, which needs none", config.UserFile(e))
	}
	f := finder{env: e, dir: from.Dir, root: ws.Root, own: from.User()}
	a := Approved{Ask{Root: ws.Root, File: from.Path(), Summarizer: c.Summarizer.Effective()}, f, c.Models}
	for setting, command := range map[string][]string{"key_command": c.Summarizer.KeyCommand,
		"command": c.Summarizer.Command} {
		if len(command) == 0 {
			continue
		}
		p, err := f.program(setting, command)
		if err != nil {
			return Approved{}, from, err
		}
		a.ask.Programs = append(a.ask.Programs, p) // there is one of the two at most
	}
	return a, from, nil
}

// same compares what is kept as JSON.
func same[T any](a, b T) bool {
	x, errA := json.Marshal(a)
	y, errB := json.Marshal(b)
	return errA == nil && errB == nil && bytes.Equal(x, y)
}
