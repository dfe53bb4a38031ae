package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// binary is the compiled tests of a package.
type binary struct {
	name string // import path
	dir  string // of the package, where its tests run
	file string
}

// built is what all conditions run.
type built struct {
	tests    []binary
	programs string // directory of the programs
}

// compile compiles the tests, and the programs, once for all conditions.
func compile(ctx context.Context, o options) (b built, err error) {
	cache, err := filepath.Abs(o.cache)
	if err != nil {
		return b, err
	}
	b.programs = filepath.Join(cache, "bin")
	if err := os.MkdirAll(b.programs, 0o755); err != nil {
		return b, err
	}
	if _, err := goCommand(ctx, ".", "build", "-o", b.programs, "./cmd/..."); err != nil || o.programs {
		return b, err
	}
	for _, module := range []string{".", "lab"} {
		patterns := of(module, o.packages)
		if len(patterns) == 0 {
			continue
		}
		list, err := compileModule(ctx, module, filepath.Join(cache, "tests", filepath.Base(module)), patterns)
		if err != nil {
			return b, err
		}
		b.tests = append(b.tests, list...)
	}
	return b, nil
}

// of returns the patterns of a module's packages, as its directory names them.
func of(module string, patterns []string) (list []string) {
	for _, p := range patterns {
		inside, lab := strings.CutPrefix(strings.TrimPrefix(p, "./"), "lab/")
		switch {
		case lab && module == "lab":
			list = append(list, "./"+inside)
		case !lab && module != "lab":
			list = append(list, p)
		}
	}
	return list
}

// compileModule compiles the tests of packages of one module into a directory. The go command compiles many at once if
// the last elements of their paths differ.
func compileModule(ctx context.Context, module, into string, patterns []string) (list []binary, err error) {
	const format = `{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}`
	out, err := goCommand(ctx, module, append([]string{"list", "-f", format}, patterns...)...)
	if err != nil {
		return nil, err
	}
	var batches []map[string]string // import paths by last element
	for line := range strings.Lines(out) {
		name, dir, _ := strings.Cut(strings.TrimSpace(line), " ")
		base := filepath.Base(name)
		i := slices.IndexFunc(batches, func(b map[string]string) bool { return b[base] == "" })
		if i < 0 {
			i = len(batches)
			batches = append(batches, map[string]string{})
		}
		batches[i][base] = name
		file := filepath.Join(into, fmt.Sprint(i), base+".test")
		list = append(list, binary{name, dir, file})
	}
	for i, batch := range batches {
		dir := filepath.Join(into, fmt.Sprint(i)) + string(filepath.Separator)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
		args := []string{"test", "-c", "-o", dir}
		for _, name := range batch {
			args = append(args, name)
		}
		if _, err := goCommand(ctx, module, args...); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// goCommand runs the go command in a directory and returns what it printed.
func goCommand(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("go %s: %w", args[0], err)
	}
	return string(out), err
}

// result is what a condition led to.
type result struct {
	packages int      // whose tests ran
	steps    int      // of the programs
	failures []string // a test, or a step, each
	not      string   // why nothing was run; "": it was
}

// run runs everything under the condition.
func (c condition) run(ctx context.Context, o options, b built) (r result) {
	cache, err := filepath.Abs(o.cache)
	if err != nil {
		return result{failures: []string{err.Error()}}
	}
	p, err := newPlace(ctx, c, cache)
	defer func() {
		if err := p.end(); err != nil {
			r.failures = append(r.failures, err.Error())
		}
	}()
	var no impossible
	if errors.As(err, &no) {
		return result{not: no.Error()}
	}
	if err != nil {
		return result{failures: []string{err.Error()}}
	}
	if !p.programsOnly {
		r = p.runTests(ctx, o, b.tests, filepath.Join(cache, c.name+".txt"))
	}
	steps, failures := p.walk(ctx, c, b.programs)
	r.steps, r.failures = steps, append(r.failures, failures...)
	return r
}

// runTests runs compiled tests, some packages at once, and writes what those that failed said to a file.
func (p *place) runTests(ctx context.Context, o options, list []binary, report string) (r result) {
	flags := []string{"-test.timeout=10m"}
	if o.short {
		flags = append(flags, "-test.short")
	}
	if o.tests != "" {
		flags = append(flags, "-test.run="+o.tests)
	}
	var said strings.Builder
	var mu sync.Mutex // guards r and said
	var work sync.WaitGroup
	turns := make(chan struct{}, o.parallel)
	for _, b := range list {
		turns <- struct{}{}
		work.Go(func() {
			defer func() { <-turns }()
			out, err := p.finish(p.command(ctx, b.dir, append([]string{b.file}, flags...)...))
			mu.Lock()
			defer mu.Unlock()
			r.packages++
			if err != nil {
				r.failures = append(r.failures, failedTests(b.name, out, err)...)
				fmt.Fprintf(&said, "=== %s: %v\n%s\n", b.name, err, out)
			}
		})
	}
	work.Wait()
	slices.Sort(r.failures)
	if err := os.WriteFile(report, []byte(said.String()), 0o644); err != nil {
		r.failures = append(r.failures, err.Error())
	}
	return r
}

// finish runs a command to its end and returns all that it said. What it started and left is not waited for.
func (p *place) finish(cmd *exec.Cmd) (string, error) {
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// failed finds the tests that a test binary says have failed.
var failed = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

// failedTests returns the failed tests of a package, without those that only contain a failed one.
func failedTests(name, out string, err error) (list []string) {
	var tests []string
	for _, m := range failed.FindAllStringSubmatch(out, -1) {
		tests = append(tests, m[1])
	}
	for _, t := range tests {
		if !slices.ContainsFunc(tests, func(other string) bool { return strings.HasPrefix(other, t+"/") }) {
			list = append(list, name+": "+t)
		}
	}
	if len(list) == 0 {
		list = []string{fmt.Sprintf("%s: %v", name, err)}
	}
	return list
}

// print prints a condition's line, and a line for each failure.
func (r result) print(w *os.File, c condition, took time.Duration) {
	outcome := "passed"
	switch {
	case r.not != "":
		outcome = "not run: " + r.not
	case len(r.failures) > 0:
		outcome = plural(len(r.failures), "failure")
	}
	fmt.Fprintf(w, "%-16s %6.1f s  %3d packages, %2d steps  %s\n", c.name, took.Seconds(), r.packages, r.steps, outcome)
	for _, f := range r.failures {
		fmt.Fprintln(w, "    "+strings.ReplaceAll(strings.TrimSpace(f), "\n", "\n      "))
	}
}
