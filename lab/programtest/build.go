package programtest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/kv/held"
)

// Programs are the packages of the programs.
const Programs = "ctxledger.dev/cmd/..."

// Run runs the tests of a package, for its TestMain, while a temporary directory has what build makes there. It returns
// the exit status of the process.
func Run(tests interface{ Run() int }, build func(dir string) error) int {
	exit := 1
	dir, err := os.MkdirTemp("", "ctxl")
	if err == nil {
		err = build(dir)
	}
	if err == nil {
		exit = tests.Run()
	}
	if err = errors.Join(err, os.RemoveAll(dir)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		exit = 1
	}
	return exit
}

// Build builds programs as a release does, without cgo and symbols, or under the race detector. into is an existing
// directory, or the path of one program; arguments are flags of go build, each with its value, and packages. Linking takes
// seconds for each of twenty packages of tests, so what is built with the same flags is made once, in .cache/programs, where
// go build sees what is up to date, and copied.
func Build(into string, arguments ...string) error {
	root, err := checkout()
	if err != nil {
		return err
	}
	flags, packages := apart(arguments)
	made, release, err := shared(root, flags)
	if err != nil {
		return err
	}
	defer release()
	if err := BuildIn("", made+string(filepath.Separator), slices.Concat(flags, packages)...); err != nil {
		return err
	}
	programs, err := named(root, packages)
	if err != nil {
		return err
	}
	if at, err := os.Stat(into); err == nil && at.IsDir() {
		for _, p := range programs {
			if err := clone(filepath.Join(made, p), filepath.Join(into, p)); err != nil {
				return err
			}
		}
		return nil
	}
	if len(programs) != 1 {
		return fmt.Errorf("%d programs are to become %s", len(programs), into)
	}
	return clone(filepath.Join(made, programs[0]), into)
}

// apart returns the flags and the packages among arguments.
func apart(arguments []string) (flags, packages []string) {
	for _, a := range arguments {
		if strings.HasPrefix(a, "-") {
			flags = append(flags, a)
		} else {
			packages = append(packages, a)
		}
	}
	return flags, packages
}

// named returns the names of the programs of packages.
func named(root string, packages []string) (names []string, err error) {
	for _, p := range packages {
		if p != Programs {
			names = append(names, path.Base(p))
			continue
		}
		all, err := os.ReadDir(filepath.Join(root, "cmd"))
		if err != nil {
			return nil, err
		}
		for _, program := range all {
			names = append(names, program.Name())
		}
	}
	return names, nil
}

// shared returns the directory where programs that are built with these flags are made, which is the caller's until
// release.
func shared(root string, flags []string) (dir string, release func(), err error) {
	dir = filepath.Join(root, ".cache", "programs", fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, flags)))[:12])
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", nil, err
	}
	f, err := os.OpenFile(dir+".lock", os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return "", nil, err
	}
	release = func() { _ = f.Close() } // with its lock
	if err := held.Take(f, maxBuild); err != nil {
		release()
		return "", nil, err
	}
	return dir, release, nil
}

// maxBuild is how long another process may take to build the same programs.
const maxBuild = 10 * time.Minute

// checkout returns the directory of the repository that the test is in.
func checkout() (string, error) {
	dir := env.System().Dir
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "cmd", "ctxledger")); err == nil {
			return dir, nil
		}
	}
	return "", errors.New("the test runs outside of the repository")
}

// clone copies a program.
func clone(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o755)
}

// BuildIn builds programs of the module in a directory, "" for the one of the test, where nothing is up to date.
func BuildIn(dir, into string, arguments ...string) error {
	cmd := exec.Command("go", slices.Concat([]string{"build", "-trimpath", "-ldflags=-s -w", "-o", into}, arguments)...)
	cmd.Dir = dir
	cmd.Env = cmd.Environ()
	if dir != "" { // It may be a checkout of an earlier commit.
		cmd.Env = append(cmd.Env, "GOWORK=off")
	}
	if !slices.Contains(arguments, "-race") {
		cmd.Env = append(cmd.Env, "CGO_ENABLED=0")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", cmd, err, out)
	}
	return nil
}
