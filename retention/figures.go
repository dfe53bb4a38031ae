package retention

import (
	"math"
	"strings"
)

// Figures are the measures of one text, each from 0 to 1. NaN: there was nothing to look for.
type Figures struct {
	Need, Hard  float64
	Files, Bind float64
	Commands    float64
	User        float64
	Precision   float64
	Dense       float64 // less is better
}

const (
	bindLines  = 3 // how far from a file's name something said about it may stand
	denseNames = 8 // identifiers of a line that is no list yet
)

// Measure holds a text against what happened.
func (p *Point) Measure(raw string) Figures {
	t := newText(raw)
	f := Figures{Need: share(t, p.need), Hard: share(t, p.hard)}
	f.Files, f.Bind = p.measureFiles(t)
	f.Commands = p.measureCommands(raw)
	f.User = p.measureUser(raw)
	f.Precision, f.Dense = p.measureLines(raw)
	return f
}

func part(n, of int) float64 {
	if of == 0 {
		return math.NaN()
	}
	return float64(n) / float64(of)
}

func share(t *text, of set) float64 {
	n := 0
	for id := range of {
		if t.names(id) {
			n++
		}
	}
	return part(n, len(of))
}

func (p *Point) measureFiles(t *text) (files, bind float64) {
	lines := strings.Split(t.raw, "\n")
	named, bound, bindable := 0, 0, 0
	for _, f := range p.files {
		if t.names(f.path) {
			named++
		}
		if len(f.names) == 0 {
			continue
		}
		bindable++
		if f.bound(lines) {
			bound++
		}
	}
	return part(named, len(p.files)), part(bound, bindable)
}

// bound reports whether one of the file's names stands near the file.
func (f *file) bound(lines []string) bool {
	for i, line := range lines {
		if !strings.Contains(line, f.path) || !newText(line).names(f.path) {
			continue
		}
		near := newText(strings.Join(lines[max(0, i-bindLines):min(len(lines), i+bindLines+1)], "\n"))
		for id := range f.names {
			if near.names(id) {
				return true
			}
		}
	}
	return false
}

func (p *Point) measureCommands(raw string) float64 {
	lines := strings.Split(raw, "\n")
	for i, l := range lines {
		lines[i] = strings.Join(strings.Fields(l), " ")
	}
	flat := strings.Join(lines, "\n")
	told := 0
	for _, c := range p.commands {
		if c.told(flat) {
			told++
		}
	}
	return part(told, len(p.commands))
}

// runWords is the length of the runs of words that are looked for.
const runWords = 5

func (p *Point) measureUser(raw string) float64 {
	flat := " " + strings.Join(strings.Fields(raw), " ") + " "
	kept, all := 0, 0
	for _, r := range p.requests {
		words := strings.Fields(r)
		for i := 0; i == 0 || i+runWords <= len(words); i++ {
			all++
			if strings.Contains(flat, strings.Join(words[i:min(len(words), i+runWords)], " ")) {
				kept++
			}
		}
	}
	return part(kept, all)
}

func (p *Point) measureLines(raw string) (precision, dense float64) {
	seen := set{}
	needed, crowded := 0, 0
	for line := range strings.Lines(raw) {
		here := set{}
		here.add(identifiers(line)...)
		if len(here) > denseNames {
			crowded += len(line)
		}
		for id := range here {
			if !seen[id] && p.need[id] {
				needed++
			}
			seen.add(id)
		}
	}
	return part(needed, len(seen)), part(crowded, len(raw))
}
