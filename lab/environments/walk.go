package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"ctxledger.dev/internal/env"
)

// recorded is the session that the programs work with, from the root of the repository.
const recorded = "testdata/sessions/shop.jsonl"

// summaryID stands among the arguments of a step for the summary that an earlier one made.
const summaryID = "SUMMARY"

// madeSummary matches how a compaction names it.
var madeSummary = regexp.MustCompile(`summary ([0-9a-f]{12}) replaces`)

// step is one use of a program.
type step struct {
	argv   []string
	stdin  string
	wants  string // what it prints when it works
	always bool   // ends well also where the programs cannot work: a hook must not disturb its agent
	silent bool   // says nothing there
	exact  bool   // prints a part of the recorded session, byte for byte
	looks  bool   // creates no ledger
}

// steps are what a person and their agents do with a new ledger.
func steps(session string) []step {
	mcp := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
		`"clientInfo":{"name":"walk","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory","arguments":{"action":"get","name":"fact"}}}` + "\n"
	return []step{
		{argv: []string{"ctxledger", "status"}, wants: "0 sessions"},
		{argv: []string{"ctxledger", "import", session}, wants: "699 new records"},
		{argv: []string{"ctxledger", "memory", "save", "fact", "--body", "kept"}, wants: "saved fact"},
		{argv: []string{"ctxledger", "compact"}, wants: "[TASK"},
		{argv: []string{"ctxledger", "artifact", "read", summaryID}, exact: true},
		{argv: []string{"ctxledger", "hook", "claude-code", "SessionStart"}, wants: "kept", always: true, silent: true,
			stdin: `{"session_id":"walk","source":"startup","hook_event_name":"SessionStart"}`},
		{argv: []string{"ctxmcp"}, stdin: mcp, wants: "kept", always: true},
		{argv: []string{"ctxledger", "daemon", "stop"}, wants: "has stopped", looks: true},
		{argv: []string{"ctxledger", "memory", "get", "fact"}, wants: "kept"},
		{argv: []string{"ctxledger", "check"}, looks: true},
	}
}

// patience is how long a step may take.
const patience = time.Minute

// walk uses the built programs as a person does, and returns what was not as it has to be.
func (p *place) walk(ctx context.Context, c condition, programs string) (n int, failures []string) {
	root, err := filepath.Abs(recorded)
	if err != nil {
		return 0, []string{err.Error()}
	}
	session, err := os.ReadFile(root)
	if err != nil {
		return 0, []string{err.Error()}
	}
	made := summaryID
	for _, s := range steps(root) {
		n++
		if i := slices.Index(s.argv, summaryID); i >= 0 {
			s.argv[i] = made
		}
		out, said, err := p.take(ctx, s, programs)
		if m := madeSummary.FindStringSubmatch(said); m != nil {
			made = m[1]
		}
		if problem := s.problem(c.refuses, out, said, session, err); problem != "" {
			failures = append(failures, fmt.Sprintf("%s: %s\n%.600s\n%.600s", strings.Join(s.argv, " "), problem, out, said))
		}
	}
	stop := step{argv: []string{"ctxledger", "daemon", "stop"}} // nothing may outlive the condition
	if _, said, err := p.take(ctx, stop, programs); err != nil && c.refuses == "" {
		failures = append(failures, fmt.Sprintf("the daemons stay: %v: %s", err, said))
	}
	return n, failures
}

// take takes a step. The error is that of a program that failed, or took too long.
func (p *place) take(ctx context.Context, s step, programs string) (out []byte, said string, err error) {
	e := env.System()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	argv := append([]string{filepath.Join(programs, s.argv[0])}, s.argv[1:]...)
	cmd := p.command(ctx, filepath.Join(p.dir, workspaceName), argv...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = strings.NewReader(s.stdin), &stdout, &stderr, time.Second
	began := e.Now()
	err = cmd.Run()
	if ctx.Err() != nil {
		err = fmt.Errorf("it was killed after %v", e.Now().Sub(began).Round(time.Second))
	}
	return stdout.Bytes(), stderr.String(), err
}

// problem says what is wrong with what a step led to; "": nothing. refuses is what an error has to say where the programs
// cannot work.
func (s step) problem(refuses string, out []byte, said string, session []byte, err error) string {
	all := string(out) + said
	switch {
	case strings.Contains(said, "panic:") || strings.Contains(said, "goroutine "): // the session has such words, too
		return "it crashed"
	case refuses == "" || s.always:
		if err != nil {
			return err.Error()
		}
	}
	switch {
	case refuses != "" && s.silent:
		if all != "" {
			return "it says something to its agent"
		}
	case refuses != "" && s.looks: // it creates nothing, and may find nothing
	case refuses != "":
		if err == nil && !s.always || !strings.Contains(all, refuses) || !strings.Contains(all, "hint: ") {
			return fmt.Sprintf("it does not say %q and the way out (%v)", refuses, err)
		}
	case s.exact:
		if len(out) == 0 || !bytes.HasPrefix(session, out) {
			return "these are not the recorded bytes"
		}
	case !strings.Contains(all, s.wants):
		return fmt.Sprintf("it does not say %q", s.wants)
	}
	return ""
}
