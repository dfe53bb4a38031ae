package main

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// progress is what the go command says of a fuzz target while it runs.
type progress struct {
	executions int64
	fresh      int // inputs with new coverage that this run found
	corpus     int // inputs with coverage of their own, with those of earlier runs
	elapsed    time.Duration
	late       bool   // it says that its time was up, which the go command sometimes takes for a failure
	crasher    string // the file with the input that failed, relative to the package; "": none
}

var (
	progressLine = regexp.MustCompile(
		`^fuzz: elapsed: (\S+), execs: (\d+) \(\d+/sec\)(?:, new interesting: (\d+) \(total: (\d+)\))?`)
	crasherLine = regexp.MustCompile(`^\s*Failing input written to (\S+)`)
	lateLine    = regexp.MustCompile(`^\s*context deadline exceeded\s*$`)
	seedLine    = regexp.MustCompile(`^\s*failure while testing seed corpus entry: (\S+)`)
)

// read takes one line of the go command and reports whether it says how far the run is.
func (p *progress) read(line string) bool {
	if m := crasherLine.FindStringSubmatch(line); m != nil {
		p.crasher = m[1]
		return false
	}
	if m := seedLine.FindStringSubmatch(line); m != nil && p.crasher == "" {
		p.crasher = "testdata/fuzz/" + m[1]
		return false
	}
	if lateLine.MatchString(line) {
		p.late = true
		return false
	}
	m := progressLine.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
	if m == nil {
		return false
	}
	elapsed, err := time.ParseDuration(m[1])
	if err != nil {
		return false
	}
	p.elapsed = elapsed
	p.executions, _ = strconv.ParseInt(m[2], 10, 64)
	if m[3] != "" {
		p.fresh, _ = strconv.Atoi(m[3])
		p.corpus, _ = strconv.Atoi(m[4])
	}
	return true
}

// finished reports whether a run of a length only ended as it should, although the go command fails: where its own
// deadline overtakes the end of the workers, it reports that as a failure (golang.org/issue/75804, until Go 1.27).
func (p progress) finished(length time.Duration) bool {
	return p.late && p.crasher == "" && p.elapsed >= length*9/10
}

// rate returns the executions a second.
func (p progress) rate() int64 {
	if p.elapsed <= 0 {
		return 0
	}
	return int64(float64(p.executions) / p.elapsed.Seconds())
}
