// scratch
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/engine"
	"ctxledger.dev/engine/calibrate"
	"ctxledger.dev/internal/env"
)

func main() {
	dir := flag.String("sessions", "", "")
	out := flag.String("out", "", "")
	flag.Parse()
	ctx := context.Background()
	w, _ := os.Create(*out)
	enc := json.NewEncoder(w)
	repos, _ := os.ReadDir(*dir)
	for _, r := range repos {
		state, _ := os.MkdirTemp("/tmp/ctx/tmp-estimate", "led")
		l, err := engine.Open(ctx, engine.Options{State: state, Workspace: "/w", Env: env.System()})
		if err != nil {
			panic(err)
		}
		files, _ := filepath.Glob(filepath.Join(*dir, r.Name(), "*.jsonl"))
		for _, f := range files {
			rep, err := claudecode.Import(ctx, l, claudecode.Source{Path: f}, nil)
			if err != nil {
				fmt.Fprintln(os.Stderr, f, err)
				continue
			}
			all, err := calibrate.Dump(ctx, l, rep.Session)
			if err != nil {
				panic(err)
			}
			for _, o := range all {
				enc.Encode(map[string]any{"repo": r.Name(), "session": filepath.Base(f), "o": o.O, "why": o.Why, "turn": o.Turn, "att": o.Att})
			}
		}
		l.Close()
		os.RemoveAll(state)
		fmt.Fprintln(os.Stderr, r.Name(), len(files))
	}
	w.Close()
}
