package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// condition is an environment in which the product has to work, or to say what is missing.
type condition struct {
	name    string
	why     string             // who has that
	apply   func(*place) error // changes a place, which is an ordinary one before
	refuses string             // what the programs name when they cannot work; "": they work
}

// conditions are all of them; the first is the one that the others differ from.
var conditions = []condition{
	{"plain", "what the others differ from", func(*place) error { return nil }, ""},
	{"home-unset", "services and containers start programs without variables", homeUnset, "HOME"},
	{"home-missing", "an account whose directory is not mounted", homeMissing, ""},
	{"home-readonly", "a container whose root is read-only", homeReadOnly, "permission denied"},
	{"home-unicode", "people's names are in paths", homeNamed("Zoë O'Neill $HOME; – 日本語 🙂"), ""},
	{"home-long", "sockets have 108 bytes for their path", homeNamed(longName), ""},
	{"home-longest", "the system has 4,096 bytes for a path", homeLongest, "too many for this system"},
	{"tmp-elsewhere", "a rename does not cross file systems", tmpElsewhere, ""},
	{"tmp-unicode", "people's names are in paths", tmpNamed("Zoë – 日本語 🙂"), ""},
	{"tmp-long", "macOS and batch systems have directories with long paths", tmpNamed(strings.Repeat("deep/", 24)), ""},
	{"tmp-missing", "a job's directory that has been swept", tmpMissing, ""},
	{"umask-077", "hardened machines", shell("umask 077"), ""},
	{"umask-000", "some containers", shell("umask 000"), ""},
	{"locale-c", "services", variables("LC_ALL=C", "LANG=C", "TZ=UTC"), ""},
	{"locale-turkish", "letters change case in another way; an offset of 5:45",
		variables("LC_ALL=tr_TR.UTF-8", "LANG=tr_TR.UTF-8", "TZ=Asia/Kathmandu"), ""},
	{"locale-japanese", "another encoding; an offset of 13 hours, and a day that was left out",
		variables("LC_ALL=ja_JP.eucJP", "LANG=ja_JP.eucJP", "TZ=Pacific/Apia"), ""},
	{"uid-root", "containers", uidRoot, ""},
	{"uid-ordinary", "everybody else, here without a home directory in the list of users", uidOrdinary, ""},
	{"inotify-0", "other programs have used up the limit of the user", inotify(0), ""},
	{"inotify-128", "the default of the kernel", inotify(128), ""},
	{"files-64", "a limit of a service", shell("ulimit -n 64"), ""},
	{"busy-6", "six processes want the processors too", busy(6), ""},
}

// choose returns the conditions with these names, all if there are none.
func choose(names []string) (list []condition, err error) {
	if len(names) == 0 {
		return conditions, nil
	}
	for _, name := range names {
		i := slices.IndexFunc(conditions, func(c condition) bool { return c.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no condition %q", name)
		}
		list = append(list, conditions[i])
	}
	return list, nil
}

// longName is too long for the path of a socket.
var longName = strings.Repeat("deep/", 40)

// homes are the variables that name directories below a home directory, with where they usually are.
var homes = map[string]string{
	"XDG_CONFIG_HOME": ".config", "XDG_STATE_HOME": ".local/state", "XDG_DATA_HOME": ".local/share",
	"XDG_CACHE_HOME": ".cache", "XDG_RUNTIME_DIR": ".run",
}

// setHome makes a directory the home directory, with all that is usually below it.
func (p *place) setHome(dir string) {
	p.variables["HOME"] = dir
	for name, below := range homes {
		p.variables[name] = filepath.Join(dir, below)
	}
}

func homeUnset(p *place) error {
	delete(p.variables, "HOME")
	return nil
}

func homeMissing(p *place) error {
	p.setHome(filepath.Join(p.dir, "none", "such"))
	return nil
}

// homeReadOnly is for an ordinary user: root writes everywhere.
func homeReadOnly(p *place) error {
	dir := filepath.Join(p.dir, "read-only")
	p.setHome(dir)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	p.undo = append(p.undo, func() error { return os.Chmod(dir, 0o700) })
	p.last = func() error { return os.Chmod(dir, 0o500) } // when it has been given to the user
	return ordinary(p)
}

func homeNamed(name string) func(*place) error {
	return func(p *place) error {
		dir := filepath.Join(p.dir, name)
		p.setHome(dir)
		return os.MkdirAll(dir, 0o700)
	}
}

// homeLongest leaves room for a state directory's path, and none for what is in it.
func homeLongest(p *place) error {
	const most = 4095 - len("/.local/state/ctxledger/")
	dir := p.dir
	for len(dir) < most-1 {
		dir = filepath.Join(dir, strings.Repeat("d", min(200, most-1-len(dir))))
	}
	p.setHome(dir)
	return os.MkdirAll(dir, 0o700)
}

// tmpElsewhere mounts a file system for each program: no directory of the system is a workspace, so that tests could not
// run in those that are there.
func tmpElsewhere(p *place) error {
	p.launcher = []string{"unshare", "-Urm"}
	if os.Getuid() == 0 {
		p.launcher = []string{"unshare", "-m"}
	}
	p.lines = append(p.lines, `mount -t tmpfs -o mode=700 tmpfs "$TMPDIR"`)
	return p.try()
}

func tmpNamed(name string) func(*place) error {
	return func(p *place) error {
		dir := filepath.Join(p.dir, name)
		p.variables["TMPDIR"] = dir
		return os.MkdirAll(dir, 0o700)
	}
}

// tmpMissing is for the programs: tests need a directory to be in. The state directory's path is too long for a socket.
func tmpMissing(p *place) error {
	p.variables["TMPDIR"] = filepath.Join(p.dir, "none")
	p.programsOnly = true
	return homeNamed(longName)(p)
}

// shell has a line of the shell executed before the program.
func shell(line string) func(*place) error {
	return func(p *place) error {
		p.lines = append(p.lines, line)
		return nil
	}
}

func variables(list ...string) func(*place) error {
	return func(p *place) error {
		for _, v := range list {
			name, value, _ := strings.Cut(v, "=")
			p.variables[name] = value
		}
		return nil
	}
}

func uidRoot(*place) error {
	if os.Getuid() != 0 {
		return impossible("only root can be root")
	}
	return nil
}

// nobody is an ordinary user on most systems.
const nobody = 65534

func uidOrdinary(p *place) error { return ordinary(p) }

// ordinary has programs run as an ordinary user, who this may be.
func ordinary(p *place) error {
	if os.Getuid() != 0 {
		return nil
	}
	if _, err := exec.LookPath("setpriv"); err != nil {
		return impossible("there is no setpriv")
	}
	p.uid = nobody
	p.launcher = []string{"setpriv", fmt.Sprint("--reuid=", nobody), fmt.Sprint("--regid=", nobody), "--clear-groups"}
	return nil
}

// inotify lets programs have so many more instances of inotify.
func inotify(instances int) func(*place) error {
	return func(p *place) error {
		p.attributes = userNamespace()
		p.lines = append(p.lines, fmt.Sprintf("echo %d >/proc/sys/user/max_inotify_instances", instances))
		return p.try()
	}
}

// try returns why programs cannot be started in the place on this machine, if so.
func (p *place) try() error {
	if out, err := p.command(context.Background(), p.dir, "true").CombinedOutput(); err != nil {
		return impossible(fmt.Sprintf("%v: %s", err, out))
	}
	return nil
}

// busyLoop takes time while a process lives.
const busyLoop = `while kill -0 "$1"; do :; done 2>/dev/null`

// busy starts processes that only take time. They end by themselves when this program has.
func busy(n int) func(*place) error {
	return func(p *place) error {
		for range n {
			cmd := exec.Command("sh", "-c", busyLoop, "sh", fmt.Sprint(os.Getpid()))
			if err := cmd.Start(); err != nil {
				return err
			}
			p.undo = append(p.undo, func() error {
				err := cmd.Process.Kill()
				_ = cmd.Wait() // it was killed
				return err
			})
		}
		return nil
	}
}
