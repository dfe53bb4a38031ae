package programtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
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
// directory, or the path of one program; arguments are flags of go build, and packages.
func Build(into string, arguments ...string) error { return BuildIn("", into, arguments...) }

// BuildIn builds programs of the module in a directory, "" for the one of the test.
func BuildIn(dir, into string, arguments ...string) error {
	cmd := exec.Command("go", slices.Concat([]string{"build", "-trimpath", "-ldflags=-s -w", "-o", into}, arguments)...)
	cmd.Dir = dir
	if !slices.Contains(arguments, "-race") {
		cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", cmd, err, out)
	}
	return nil
}
