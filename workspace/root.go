package workspace

import (
	"cmp"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"ctxledger.dev/internal/agentname"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
)

// Variable is the environment variable that names the workspace.
const Variable = "CTXLEDGER_WORKSPACE"

// findRoot returns the root and how it was found, or "" and why there is none.
func findRoot(e env.Env, o Options, r refusals) (root, why string, err error) {
	if o.Flag != "" {
		root, err = explicit(e, r, "--workspace", o.Flag)
		return root, "given by --workspace", err
	}
	if v := e.Lookup(Variable); v != "" {
		root, err = explicit(e, r, Variable, v)
		return root, "given by " + Variable, err
	}
	for _, a := range agentname.All() {
		if dir, ok := directory(e.Lookup(a.Project)); ok && !o.Opened {
			return nearest(r, dir, "given by "+a.Project)
		}
	}
	refused := ""
	for _, uri := range o.Roots {
		if dir, ok := directory(rootPath(uri)); ok {
			if root, why, err = nearest(r, dir, "a root of the client"); root != "" {
				return root, why, err
			}
			refused = cmp.Or(refused, why)
		}
	}
	if o.Opened || refused != "" {
		return "", cmp.Or(refused, "no folder is open"), nil
	}
	dir, ok := directory(e.Dir)
	if !ok {
		return "", "the working directory no longer exists", nil
	}
	return nearest(r, dir, "the working directory")
}

// HostSession returns the host's id of the session that started this process, or "". The ledger may not
// have that session.
func HostSession(e env.Env) string {
	for _, a := range agentname.All() {
		if id := e.Lookup(a.Session); id != "" {
			return id
		}
	}
	return ""
}

// nearest takes the nearest of a directory that was found and its ancestors that holds a marker, so that a
// subdirectory has no ledger of its own; without one the directory itself.
func nearest(r refusals, dir, how string) (root, why string, err error) {
	up, marker := enclosing(dir, r, Marker, gitName)
	switch {
	case up == "" || r.why(dir) != "":
		return accept(r, dir, how)
	case up == dir:
		return accept(r, up, how+", holds "+marker)
	}
	return accept(r, up, how+" is below, holds "+marker)
}

// explicit resolves a directory that the user named. A directory that cannot be a workspace is an error.
func explicit(e env.Env, r refusals, source, value string) (string, error) {
	path := value
	if !filepath.IsAbs(path) {
		path = filepath.Join(e.Dir, path)
	}
	dir, ok := directory(path)
	if !ok {
		return "", fault.New(fault.Invalid, "workspace.find", "%s names %q, which is not a directory", source, value)
	}
	if why := r.why(dir); why != "" {
		return "", fault.New(fault.Invalid, "workspace.find",
			"%s names %s, which is %s and cannot be a workspace", source, dir, why).
			WithHint("give the directory of a project")
	}
	return dir, nil
}

// accept returns a found directory as the root, or why it cannot be one.
func accept(r refusals, dir, how string) (root, why string, err error) {
	if refused := r.why(dir); refused != "" {
		return "", dir + " is " + refused + ", not a workspace", nil
	}
	return dir, how, nil
}

// directory returns path without symbolic links, if it is an absolute path of a directory. Hosts also pass
// relative paths and unexpanded placeholders, which are ignored.
func directory(path string) (string, bool) {
	if !filepath.IsAbs(path) {
		return "", false
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", false
	}
	info, err := os.Stat(real)
	return real, err == nil && info.IsDir()
}

// enclosing returns the nearest of dir and its ancestors that contains one of the markers, and the marker.
// It skips refused directories: a home directory under git must not claim everything below it.
func enclosing(dir string, r refusals, markers ...string) (found, marker string) {
	for {
		for _, m := range markers {
			if _, err := os.Lstat(filepath.Join(dir, m)); err == nil && r.why(dir) == "" {
				return dir, m
			}
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", ""
		}
		dir = up
	}
}

// rootPath returns the path of an MCP root, or "" if it is not on this machine.
func rootPath(root string) string {
	if filepath.IsAbs(root) {
		return root
	}
	u, err := url.Parse(root)
	if err != nil || u.Scheme != "file" || (u.Host != "" && u.Host != "localhost") {
		return ""
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/") // file:///C:/x
	}
	return filepath.FromSlash(path)
}
