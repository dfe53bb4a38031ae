// Command environments runs the product's tests in environments that users have and developers do not: without a home
// directory, with one that cannot be written, under another umask, with few file descriptors, beside busy processes. After
// the tests it goes through the built programs as a person does. It prints a line for each condition.
//
// Start at conditions, the table, and at condition.run. The tests are compiled once; each condition then runs the same
// binaries in their packages' directories, in a place of its own that is removed afterwards.
//
// Guarantees: nothing of a condition outlives the program, however it ends, but what a crash leaves below the temporary
// directory. A condition that cannot be made on a machine is reported as not run, with the reason.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"ctxledger.dev/internal/env"
)

// options say what is run.
type options struct {
	packages []string // as the go command names them; those below ./lab are of the module there
	only     []string // names of conditions; none: all
	tests    string   // the tests whose name matches; "": all
	short    bool     // leave out volume
	programs bool     // run no tests, only the programs
	parallel int      // packages at once
	cache    string   // where compiled tests and outputs are
}

func main() {
	var o options
	packages := flag.String("packages", "./...", "packages, separated by spaces, as go test names them")
	only := flag.String("only", "", "names of conditions, separated by commas; none: all")
	flag.StringVar(&o.tests, "run", "", "only tests whose name matches")
	flag.StringVar(&o.cache, "cache", ".cache/environments", "directory of compiled tests, and of what failed tests said")
	flag.BoolVar(&o.short, "short", false, "leave out the volume of tests")
	flag.BoolVar(&o.programs, "programs", false, "run no tests, only the built programs")
	flag.IntVar(&o.parallel, "p", runtime.GOMAXPROCS(0), "packages that are tested at once")
	flag.Parse()
	o.packages = strings.Fields(*packages)
	o.only = strings.FieldsFunc(*only, func(r rune) bool { return r == ',' })
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := act(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "environments:", err)
		os.Exit(1)
	}
}

// act runs everything, and returns an error if a condition did not hold.
func act(ctx context.Context, o options) error {
	chosen, err := choose(o.only)
	if err != nil {
		return err
	}
	b, err := compile(ctx, o)
	if err != nil {
		return err
	}
	e := env.System()
	failed := 0
	for _, c := range chosen {
		began := e.Now()
		r := c.run(ctx, o, b)
		r.print(os.Stdout, c, e.Now().Sub(began))
		if len(r.failures) > 0 {
			failed++
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if failed > 0 {
		return errors.New(plural(failed, "condition") + " failed; what the tests said is in " + o.cache)
	}
	return nil
}

// plural returns a number with its noun.
func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprint(n, " ", noun)
}
