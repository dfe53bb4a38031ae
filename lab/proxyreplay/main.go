// Command proxyreplay measures the proxy on recorded sessions of Claude Code:
//
//	go run -C lab ./proxyreplay FILE|DIR…
//	go run -C lab ./proxyreplay -rules FILE|DIR…
//	go run -C lab ./proxyreplay -keep DIR FILE|DIR…
//	go run -C lab ./proxyreplay -serve ADDRESS DIR
//
// The requests of each session are sent as its agent sent them, in recorded order and time, through the real proxy to a
// provider that counts, caches and charges as Anthropic does. What a recording does not have (the system prompt and the
// definitions of tools) is sent as a text of the recorded size; what its host changed in it unseen is changed where the
// recording shows that the cache was lost. Nothing sleeps: time is told.
//
// -rules compares what the rules of the cache predict with what providers reported of the same requests.
//
// -keep writes the requests of each session as they were sent under reduce to DIR/SESSION/NUMBER.json, and its ledger beside
// them. -serve serves the tool that reads back of these ledgers, over MCP at http://ADDRESS/SESSION: for readers who are asked
// about what they see.
//
// It is simulated: no tasks are re-run. Session files are read, and without -keep nothing is written but the table.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"ctxledger.dev/internal/process"
)

func main() {
	process.KeepOwnAccess()
	rules := flag.Bool("rules", false, "compare the rules of the cache with what providers reported")
	only := flag.String("only", "", "send the sessions under this policy alone, and none")
	asJSON := flag.Bool("json", false, "print the answer as JSON")
	keep := flag.String("keep", "", "keep requests as sent, and ledgers, in this directory")
	address := flag.String("serve", "", "serve the tool that reads back of ledgers that were kept, at this address")
	flag.Parse()
	var err error
	if *address != "" {
		err = serve(*address, flag.Args())
	} else {
		err = run(context.Background(), os.Stdout, flag.Args(), *rules, *only, *keep, *asJSON)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "proxyreplay:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, paths []string, rules bool, only, keep string, asJSON bool) error {
	files, err := sessionFiles(paths)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return errors.New("name session files, or directories of them")
	}
	if rules {
		return runRules(w, files, asJSON)
	}
	return runPolicies(ctx, w, files, only, keep, asJSON)
}

// sessionFiles returns the session files that are named or in directories that are.
func sessionFiles(paths []string) (files []string, err error) {
	for _, path := range paths {
		err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && filepath.Ext(name) == ".jsonl" {
				files = append(files, name)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// each opens the files and calls do for each session with at least so many requests, on all processors. What cannot be
// done is said and left out. A bar shows how far it is.
func each(files []string, least int, do func(i int, r *recording) error) {
	var wait sync.WaitGroup
	var mu sync.Mutex // guards done and standard error
	next, done := make(chan int), 0
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for i := range next {
				r, err := open(files[i])
				if err == nil && len(r.requests) >= least {
					err = do(i, r)
				}
				mu.Lock()
				if err != nil {
					fmt.Fprintf(os.Stderr, "\rproxyreplay: %s: %s\n", filepath.Base(files[i]), err)
				}
				done++
				bar(done, len(files))
				mu.Unlock()
			}
		})
	}
	for i := range files {
		next <- i
	}
	close(next)
	wait.Wait()
	fmt.Fprintln(os.Stderr)
}

// bar draws how much is done.
func bar(done, of int) {
	const width = 40
	full := width * done / of
	fmt.Fprintf(os.Stderr, "\r[%s%s] %d of %d sessions", strings.Repeat("#", full), strings.Repeat(" ", width-full), done, of)
}

// answer prints a value as JSON, or as the text.
func answer(w io.Writer, asJSON bool, v any, text func()) error {
	if !asJSON {
		text()
		return nil
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// leastRequests is how many requests a session has for its errors to say something.
const leastRequests = 5

// ruled are the predictions of one kind.
type ruled struct {
	Title    string      `json:"title"`
	Sessions []predicted `json:"sessions"`
}

func runRules(w io.Writer, files []string, asJSON bool) error {
	var estimators halves
	recordings, grown := make([]*recording, len(files)), make([][]growth, len(files))
	each(files, leastRequests, func(i int, r *recording) error {
		if r.host != codex {
			grown[i] = ofRecording(r).growths()
		}
		r.Session = nil // its texts are not needed any more
		recordings[i] = r
		return nil
	})
	for i, g := range grown {
		estimators.learn(1-i%2, g)
	}
	out := []ruled{{Title: "BY SIZE AND TIME ALONE"}, {Title: "LOSSES GIVEN"}, {Title: "LOSSES GIVEN, SIZES ESTIMATED"}}
	for i, r := range recordings {
		if r == nil {
			continue
		}
		out[0].Sessions = append(out[0].Sessions, r.predict(false))
		out[1].Sessions = append(out[1].Sessions, r.predict(true))
		if grown[i] != nil {
			out[2].Sessions = append(out[2].Sessions, r.predictSized(estimators.sizes(i%2, grown[i]), true))
		}
	}
	return answer(w, asJSON, out, func() {
		for _, x := range out {
			printRules(w, x.Title, x.Sessions)
			fmt.Fprintln(w)
		}
	})
}

// kept returns what is there.
func kept[T any](all []*T) (out []T) {
	for _, x := range all {
		if x != nil {
			out = append(out, *x)
		}
	}
	return out
}

// played is a session under each policy.
type played struct {
	Session  string  `json:"session"`
	Model    string  `json:"model"`
	Window   int     `json:"window"`
	Peak     int     `json:"peak"` // tokens of the largest request, as recorded
	Odd      int     `json:"odd"`  // requests whose size is not that of their messages
	Recorded outcome `json:"recorded"`
	// Told says that its file tells what its agent sent: under none it costs about what was recorded. Else it is not compared.
	Told     bool      `json:"told"`
	Outcomes []outcome `json:"outcomes"`
}

// told is how far the cost under none may be from what was recorded.
const told = 0.05

// ratio is the cost under a policy as a share of that of none.
func (p played) ratio(i int) float64 { return p.Outcomes[i].Dollars / cmp.Or(p.Outcomes[0].Dollars, 1) }

func runPolicies(ctx context.Context, w io.Writer, files []string, only, keep string, asJSON bool) error {
	var chosen []policy
	for i, p := range policies() {
		if i == 0 || only == "" || p.name == only {
			if p.name == "reduce" {
				p.keep = keep
			}
			chosen = append(chosen, p)
		}
	}
	found := make([]*played, len(files))
	each(files, leastRequests, func(i int, r *recording) error {
		if r.host != "claude-code" {
			return errors.New("not a session of Claude Code")
		}
		m := ofRecording(r)
		s := m.sizes()
		used, dollars := r.recordedUse()
		out := &played{Session: r.name, Model: r.requests[len(r.requests)-1].Model, Window: r.window(), Peak: r.peak(),
			Odd: s.odd, Recorded: outcome{Policy: "recorded", Requests: len(r.requests), Used: used, Dollars: dollars}}
		for _, p := range chosen {
			o, err := m.play(ctx, p, s)
			if err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			out.Outcomes = append(out.Outcomes, o)
			if out.Told = math.Abs(off(out.Outcomes[0].Dollars, dollars)) <= told; !out.Told {
				break
			}
		}
		found[i] = out
		return nil
	})
	all := kept(found)
	return answer(w, asJSON, all, func() { printPolicies(w, all) })
}
