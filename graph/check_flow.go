package graph

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

// The depths up to which documents import and run each other.
const (
	maxImports = 16
	maxRuns    = 8
)

// jumps are where the @goto operations of a document lead, for questions that each operation asks.
type jumps struct {
	to    []*Block // by operation; nil: it is no @goto, or leads nowhere
	least []int    // by operation: where the first target begins of those from it on
	most  []int    // by operation: where the last target begins of those before it
	dead  []bool   // by operation: it never runs
	times []int    // by operation: how often it runs; nil: a loop has no end, or very many passes
}

// jumpsOf follows the @goto operations of a document.
func jumpsOf(d *Document) jumps {
	n := len(d.Operations)
	j := jumps{to: make([]*Block, n), least: make([]int, n+1), most: make([]int, n+1)}
	j.least[n], j.most[0] = d.Len()+1, -1
	for i, o := range d.Operations {
		if o.Name == "goto" && len(o.block) > 0 {
			j.to[i] = d.matches(o, "block").at(0).Block
		}
	}
	j.walk(d)
	j.count(d)
	for i := range d.Operations {
		j.most[i+1] = j.most[i]
		if j.dead[i] {
			j.to[i] = nil
		}
		if target := j.to[i]; target != nil {
			j.most[i+1] = max(j.most[i], target.Own.From)
		}
	}
	for i := n - 1; i >= 0; i-- {
		if j.least[i] = j.least[i+1]; j.to[i] != nil {
			j.least[i] = min(j.least[i], j.to[i].Own.From)
		}
	}
	return j
}

// maxSteps is how many more operations run than a document has, at most, for it to be known how often each does.
const maxSteps = 100_000

// count follows the jumps, those with run-once only the first time, and counts how often each operation runs.
func (j *jumps) count(d *Document) {
	n := len(d.Operations)
	times := make([]int, n)
	for at, left := 0, n+maxSteps; at < n; left-- {
		o := d.Operations[at]
		if left == 0 {
			return
		}
		if times[at]++; o.truth("run-once") && o.Name != "goto" {
			times[at] = 1
		}
		switch {
		case o.Name == "return":
			at = n
		case j.to[at] != nil && (times[at] == 1 || !o.truth("run-once")):
			at = j.target(d, at)
		default:
			at++
		}
	}
	j.times = times
}

// target returns the first operation that runs after a jump.
func (j *jumps) target(d *Document, at int) int {
	return sort.Search(len(d.Operations), func(k int) bool { return d.Operations[k].At.From >= j.to[at].Own.From })
}

// walk finds the operations that never run. It follows the jumps: with run-once only the first time.
func (j *jumps) walk(d *Document) {
	n := len(d.Operations)
	j.dead = slices.Repeat([]bool{true}, n)
	next, seen := make([]int, n+1), make([]int, n) // what runs next, itself where a way ends; by which way it was seen
	for i, o := range d.Operations {
		switch next[i] = i + 1; {
		case o.Name == "return":
			next[i] = n
		case j.to[i] != nil && o.truth("run-once"):
			next[i] = i
		case j.to[i] != nil:
			next[i] = j.target(d, i)
		}
	}
	next[n] = n
	for at, way := 0, 1; ; way++ {
		var passed []int
		for ; next[at] != at; at = next[at] {
			if seen[at] == way { // without an end
				return
			}
			seen[at], j.dead[at], passed = way, false, append(passed, at)
		}
		for _, i := range passed {
			next[i] = at
		}
		if at == n {
			return
		}
		if j.dead[at] = false; !d.Operations[at].truth("run-once") { // it leads to itself
			return
		}
		next[at], at = at+1, j.target(d, at)
	}
}

// leaves reports whether the operations below one do not run after it.
func (j *jumps) leaves(o *Operation) bool {
	return o.Name == "return" || j.to[o.Index] != nil && !o.truth("run-once")
}

// over reports whether a @goto before an operation leads behind it.
func (j jumps) over(o *Operation) bool { return j.most[o.Index] > o.At.From }

// back reports whether a @goto behind an operation leads back before another one.
func (j jumps) back(last, first *Operation) bool { return j.least[last.Index+1] <= first.At.From }

// flow checks in which order operations run, and what they are allowed to do.
func (c *checker) flow() {
	for i, o := range c.d.Operations {
		if c.jumps.dead[i] && !c.jumps.dead[i-1] { // once is enough
			end := c.d.Operations[i-1]
			c.add("CG403", Warning, o.NameAt, "this never runs").Related =
				[]Related{{end.NameAt, "@" + end.Name + " above leaves"}}
		}
		if to := c.jumps.to[i]; to != nil && c.jumps.leaves(o) && to.Own.From <= o.At.From {
			c.add("CG404", Warning, o.NameAt,
				"this jumps back each time; with run-once: true only once").Fix =
				set(o, "Jump once", "run-once", "true")
		}
		c.allowed(o)
		c.cycles(o)
	}
}

// allowed checks what an operation may do to the machine.
func (c *checker) allowed(o *Operation) {
	if o.Name == "shell" {
		c.add("CG405", Warning, o.NameAt, "commands run only if you allow it for each run")
	}
	if o.truth("allow-generated-ops") {
		c.add("CG406", Warning, o.field("allow-generated-ops").At,
			"operations in the result of this one run, if the command line allows it")
	}
	if o.truth("header-auto-align") && o.Block.Level >= 6 {
		c.add("CG218", Warning, o.field("header-auto-align").At,
			"no heading is deeper than level 6: those of the result stay at 6")
	}
	if f := o.field("save-to-file"); f != nil {
		to := path.Clean(filepath.ToSlash(f.text()))
		switch {
		case path.IsAbs(to) || to == ".." || strings.HasPrefix(to, "../"):
			c.add("CG408", Warning, f.Value, "this is written outside of the document's folder")
		case to == path.Base(filepath.ToSlash(c.d.Path)) || c.reads[to]:
			c.add("CG408", Warning, f.Value, "this overwrites a document that is read here")
		}
	}
}

// cycles checks that the documents which an operation reads do not read it in turn.
func (c *checker) cycles(o *Operation) {
	kind, code, most := o.Name, "CG401", maxImports
	switch kind {
	case "import":
	case "run":
		code, most = "CG402", maxRuns
	default:
		return
	}
	if c.o.Read == nil || o.text("file") == "" {
		return
	}
	var follow func(from *Document, o *Operation, way []string) bool
	visited := map[string]bool{}
	follow = func(from *Document, by *Operation, way []string) bool {
		other, err := c.o.Read(from.Path, by.text("file"))
		if err != nil {
			return false
		}
		way = append(slices.Clone(way), other.Path)
		switch {
		case slices.Contains(way[:len(way)-1], other.Path):
			c.add(code, Error, o.field("file").Value, fmt.Sprintf("a cycle: %s", strings.Join(way, " → ")))
			return true
		case len(way) > most+1:
			c.add("CG407", Error, o.field("file").Value,
				fmt.Sprintf("documents %s each other more than %d deep", kind, most))
			return true
		case visited[other.Path]:
			return false
		}
		visited[other.Path] = true
		return slices.ContainsFunc(other.Operations, func(in *Operation) bool {
			return in.Name == kind && in.text("file") != "" && follow(other, in, way)
		})
	}
	follow(c.d, o, []string{c.d.Path})
}
