package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// place is where programs run under a condition, and how they are started there.
type place struct {
	dir          string               // absolute; all else that is made for the condition is below
	variables    map[string]string    // of the programs
	launcher     []string             // starts the shell; none: directly
	lines        []string             // the shell executes them before the program
	attributes   *syscall.SysProcAttr // of the launcher; nil: none
	uid          int                  // to whom dir is given; 0: to nobody else
	last         func() error         // is called when dir is ready; may be nil
	undo         []func() error       // ends the condition, the last first
	programsOnly bool                 // no test can run there
}

// impossible says why a condition cannot be made on this machine.
type impossible string

// Error implements error.
func (i impossible) Error() string { return string(i) }

// hidden are the variables of this process that programs do not see, by what their names begin with: places are the
// same whoever makes them.
var hidden = []string{"HOME=", "XDG_", "TMPDIR=", "LANG=", "LANGUAGE=", "LC_", "TZ=", "CTXLEDGER_", "CLAUDE", "GIT_"}

// workspaceName is the directory of a place that programs work in.
const workspaceName = "shop"

// newPlace makes the place of a condition. The caller calls end, even after an error.
func newPlace(ctx context.Context, c condition, cache string) (*place, error) {
	p := &place{variables: map[string]string{}}
	dir, err := os.MkdirTemp("", "env")
	if err != nil {
		return p, err
	}
	p.undo = append(p.undo, func() error { return os.RemoveAll(dir) })
	if p.dir, err = filepath.EvalSymlinks(dir); err != nil {
		return p, err
	}
	for _, v := range exec.Command("true").Environ() {
		name, value, _ := strings.Cut(v, "=")
		if !slices.ContainsFunc(hidden, func(h string) bool { return strings.HasPrefix(v, h) }) {
			p.variables[name] = value
		}
	}
	p.variables["HOME"], p.variables["TMPDIR"] = filepath.Join(p.dir, "home"), filepath.Join(p.dir, "tmp")
	for _, sub := range []string{"home", "tmp", workspaceName} {
		if err := os.Mkdir(filepath.Join(p.dir, sub), 0o700); err != nil {
			return p, err
		}
	}
	if err := c.apply(p); err != nil {
		return p, err
	}
	if err := p.keepCaches(ctx, cache); err != nil {
		return p, err
	}
	if err := p.giveAway(); err != nil || p.last == nil {
		return p, err
	}
	return p, p.last()
}

// keepCaches names the caches of the go command, which some tests run: without that it would look for them in a home
// directory. An ordinary user has caches of his own, since root's are usually not open to him.
func (p *place) keepCaches(ctx context.Context, cache string) error {
	out, err := exec.CommandContext(ctx, "go", "env", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		return err
	}
	build, modules, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if p.uid != 0 {
		own := filepath.Join(cache, "ordinary")
		build = filepath.Join(own, "build")
		if err := os.MkdirAll(build, 0o755); err != nil {
			return err
		}
		if err := os.Chown(build, p.uid, p.uid); err != nil {
			return err
		}
		copied := filepath.Join(own, "modules")
		if _, err := os.Stat(copied); errors.Is(err, fs.ErrNotExist) {
			if out, err := exec.CommandContext(ctx, "cp", "-a", modules, copied).CombinedOutput(); err != nil {
				return errors.Join(err, errors.New(string(out)))
			}
		}
		modules = copied
	}
	for name, value := range map[string]string{
		"GOCACHE": build, "GOMODCACHE": modules, "GOPATH": filepath.Dir(filepath.Dir(modules)), "GOTOOLCHAIN": "local",
		"GOWORK": "off", "GOPROXY": "off", "GOENV": "off",
	} {
		p.variables[name] = value
	}
	return nil
}

// giveAway gives the directory, with what is in it, and the temporary one to the user of the programs.
func (p *place) giveAway() error {
	if p.uid == 0 {
		return nil
	}
	return filepath.WalkDir(p.dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, p.uid, p.uid)
	})
}

// command returns a program, ready to be started under the condition, in a directory.
func (p *place) command(ctx context.Context, dir string, argv ...string) *exec.Cmd {
	lines := append(slices.Clone(p.lines), `exec "$@"`)
	all := slices.Concat(p.launcher, []string{"sh", "-c", strings.Join(lines, " && "), "sh"}, argv)
	cmd := exec.CommandContext(ctx, all[0], all[1:]...)
	cmd.Dir, cmd.SysProcAttr = dir, p.attributes
	for name, value := range p.variables {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	slices.Sort(cmd.Env)
	return cmd
}

// end undoes everything.
func (p *place) end() error {
	var errs []error
	for _, undo := range slices.Backward(p.undo) {
		errs = append(errs, undo())
	}
	return errors.Join(errs...)
}
