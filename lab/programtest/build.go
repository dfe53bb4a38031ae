package programtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
)

// Programs are the packages of the three programs.
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

// Build builds programs. into is an existing directory, or the path of one program; arguments are flags of go build,
// and packages.
func Build(into string, arguments ...string) error {
	cmd := exec.Command("go", slices.Concat([]string{"build", "-o", into}, arguments)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", cmd, err, out)
	}
	return nil
}
