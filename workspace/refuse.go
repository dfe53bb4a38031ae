package workspace

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"ctxledger.dev/internal/env"
)

// systemRoots are directories of the system or of several users. They are refused; projects below them
// are not.
var systemRoots = []string{
	"/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib64", "/media", "/mnt", "/opt", "/proc",
	"/run", "/sbin", "/srv", "/sys", "/tmp", "/usr", "/usr/local", "/usr/src", "/var", "/var/tmp",
	"/Applications", "/Library", "/System", "/Users", "/Volumes", "/private", "/private/etc",
	"/private/tmp", "/private/var",
	`c:\users`, `c:\programdata`,
}

// systemTrees are refused with everything below them: hosts start servers in their own installation, where
// there are no projects.
var systemTrees = []string{
	"/bin", "/boot", "/dev", "/lib", "/lib64", "/proc", "/sbin", "/sys",
	"/usr/bin", "/usr/lib", "/usr/lib64", "/usr/libexec", "/usr/sbin", "/usr/share",
	"/Applications", "/System",
	`c:\windows`, `c:\program files`, `c:\program files (x86)`,
}

// refusals decides which directories cannot be workspaces of a process.
type refusals struct {
	windows bool
	home    string
	temp    string
}

// newRefusals takes the home and temporary directories of e, without symbolic links.
func newRefusals(e env.Env) refusals {
	r := refusals{windows: runtime.GOOS == "windows"}
	if dir, ok := directory(e.Home); ok {
		r.home = dir
	}
	if dir, ok := directory(e.Temp); ok {
		r.temp = dir
	}
	return r
}

// why says why an absolute, clean path cannot be a workspace; "": it can.
func (r refusals) why(dir string) string {
	key := r.fold(dir)
	switch {
	case filepath.Dir(dir) == dir:
		return "the root of a file system"
	case r.home != "" && key == r.fold(r.home):
		return "the home directory"
	case r.home != "" && key == r.fold(filepath.Dir(r.home)):
		return "the parent of the home directories"
	case r.temp != "" && key == r.fold(r.temp):
		return "the directory for temporary files"
	}
	if slices.Contains(systemRoots, key) {
		return "a system directory"
	}
	for _, tree := range systemTrees {
		if key == tree || strings.HasPrefix(key, tree+r.separator()) {
			return "a system directory"
		}
	}
	return ""
}

// fold returns dir in the form for comparisons.
func (r refusals) fold(dir string) string {
	if r.windows {
		return strings.ToLower(dir)
	}
	return dir
}

func (r refusals) separator() string {
	if r.windows {
		return `\`
	}
	return "/"
}
