package graph

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ctxledger.dev/internal/redact"
)

// The depths up to which documents import and run each other.
const (
	maxImports = 16
	maxRuns    = 8
)

// flow checks in which order operations run, and what they are allowed to do.
func (c *checker) flow() {
	var end *Operation // behind which nothing runs
	for _, o := range c.d.Operations {
		if end != nil && !c.reached(o, end) {
			c.add("CG403", Warning, o.NameAt, "this never runs").Related = []Related{{end.NameAt,
				"@" + end.Name + " above leaves"}}
			end = nil // once is enough
		}
		target := c.targets[o]
		if o.Name == "return" || target != nil && !o.truth("run-once") {
			end = o
		}
		if target != nil && target.Own.From <= o.At.From && !o.truth("run-once") {
			c.add("CG404", Warning, o.NameAt, "this jumps back each time: run-once: true ends the loop after its "+
				"first pass")
		}
		c.allowed(o)
		c.cycles(o)
	}
}

// goesTo returns the block that a @goto goes to; nil: it is none, or goes nowhere.
func (c *checker) goesTo(o *Operation) *Block {
	if o.Name != "goto" {
		return nil
	}
	for _, r := range o.references(c.d.Source, "block") {
		return c.d.Find(r.Path).Block
	}
	return nil
}

// reached reports whether a @goto leads behind an operation that ends what is before, up to another one.
func (c *checker) reached(o, end *Operation) bool {
	for _, target := range c.targets {
		if target.Own.From > end.At.From && target.Own.From <= o.At.From {
			return true
		}
	}
	return false
}

// skipped reports whether a @goto jumps over an operation.
func (c *checker) skipped(o *Operation) bool {
	for by, target := range c.targets {
		if by.Index < o.Index && target.Own.From > o.At.From {
			return true
		}
	}
	return false
}

// loops reports whether a @goto behind an operation leads back before another one.
func (c *checker) loops(last, first *Operation) bool {
	for by, target := range c.targets {
		if by.Index > last.Index && target.Own.From <= first.At.From {
			return true
		}
	}
	return false
}

// allowed checks what an operation may do to the machine.
func (c *checker) allowed(o *Operation) {
	if o.Name == "shell" {
		c.add("CG405", Warning, o.NameAt, "commands run only if you allow it for each run")
	}
	if o.truth("allow-generated-ops") {
		c.add("CG406", Warning, o.field("allow-generated-ops").At, "operations in the result of this one run, if "+
			"the command line allows it")
	}
	if o.truth("header-auto-align") && o.Block.Level >= 6 {
		c.add("CG218", Warning, o.field("header-auto-align").At, "no heading can stand below level 6: those of "+
			"the result stay at 6")
	}
	if f := o.field("save-to-file"); f != nil {
		to := path.Clean(filepath.ToSlash(f.text()))
		switch {
		case path.IsAbs(to) || to == ".." || strings.HasPrefix(to, "../"):
			c.add("CG408", Warning, f.Value, "this is written outside of the document's folder")
		case to == path.Base(filepath.ToSlash(c.d.Path)) || slices.Contains(c.named(), to):
			c.add("CG408", Warning, f.Value, "this overwrites a document that is read here")
		}
	}
	for i := range o.Fields {
		f := &o.Fields[i]
		if text := f.text(); len(redact.New(nil).Find([]byte(text))) > 0 {
			c.add("CG409", Warning, f.Value, "this looks like a secret, and would be sent or stored")
		}
	}
}

// named returns the documents that operations read.
func (c *checker) named() (files []string) {
	for _, o := range c.d.Operations {
		if file := o.text("file"); file != "" {
			files = append(files, path.Clean(filepath.ToSlash(file)))
		}
	}
	return files
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
			c.add(code, Error, o.field("file").Value, fmt.Sprintf("a circle: %s", strings.Join(way, " → ")))
			return true
		case len(way) > most+1:
			c.add("CG407", Error, o.field("file").Value, fmt.Sprintf("documents %s each other more than %d "+
				"deep", kind, most))
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
