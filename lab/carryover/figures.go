package carryover

import (
	"math"
	"strconv"
	"strings"
)

// A Share is a part of a whole, from 0 to 1, or not a number where the whole is empty.
type Share float64

// Known reports whether there was anything to look for.
func (s Share) Known() bool { return !math.IsNaN(float64(s)) }

// MarshalJSON writes null for a share of nothing.
func (s Share) MarshalJSON() ([]byte, error) {
	if !s.Known() {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(s), 'f', 4, 64), nil
}

// Figures are the measures of one text; the package comment says what each is.
type Figures struct {
	Need      Share `json:"need"` // decides nothing: word lists have the most
	Hard      Share `json:"hard"`
	Files     Share `json:"files"`
	Bind      Share `json:"bind"`
	Commands  Share `json:"commands"`
	User      Share `json:"user"`
	Precision Share `json:"precision"`
	Dense     Share `json:"dense"` // less is better; decides nothing
	Lists     Share `json:"lists"` // less is better
}

// shares returns the measures in their order, to be changed.
func (f *Figures) shares() []*Share {
	return []*Share{&f.Need, &f.Hard, &f.Files, &f.Bind, &f.Commands, &f.User, &f.Precision, &f.Dense,
		&f.Lists}
}

// Mean returns the mean of each measure over the figures in which it is known.
func Mean(all []Figures) Figures {
	var sum Figures
	count := make([]int, len(sum.shares()))
	for i := range all {
		for j, s := range all[i].shares() {
			if s.Known() {
				*sum.shares()[j] += *s
				count[j]++
			}
		}
	}
	for j, s := range sum.shares() {
		*s /= Share(count[j]) // of none: not a number
	}
	return sum
}

const (
	bindLines  = 3 // how many lines away from a file's path something said about it may be
	denseNames = 8 // identifiers of a line that is not a list yet
)

// Measure computes the figures of a text.
func (p *Point) Measure(raw string) Figures {
	t := newText(raw)
	f := Figures{Need: share(t, p.need), Hard: share(t, p.hard)}
	f.Files, f.Bind = p.measureFiles(t)
	f.Commands = p.measureCommands(raw)
	f.User = p.measureUser(raw)
	f.Precision, f.Dense = p.measureLines(raw)
	f.Lists = measureLists(raw)
	return f
}

func part(n, of int) Share {
	if of == 0 {
		return Share(math.NaN())
	}
	return Share(n) / Share(of)
}

func share(t *text, of set) Share {
	n := 0
	for id := range of {
		if t.names(id) {
			n++
		}
	}
	return part(n, len(of))
}

func (p *Point) measureFiles(t *text) (files, bind Share) {
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

// bound reports whether one of the file's names is near the file's path.
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

func (p *Point) measureCommands(raw string) Share {
	lines := strings.Split(raw, "\n")
	for i, l := range lines {
		lines[i] = strings.Join(strings.Fields(l), " ")
	}
	flat := strings.Join(lines, "\n")
	kept := 0
	for _, c := range p.commands {
		if c.keptIn(flat) {
			kept++
		}
	}
	return part(kept, len(p.commands))
}

// runWords is the length of the runs of words that are looked for.
const runWords = 5

func (p *Point) measureUser(raw string) Share {
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

func (p *Point) measureLines(raw string) (precision, dense Share) {
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
