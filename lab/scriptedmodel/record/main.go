// Command record makes the recorded session that tests read: a real Claude Code works on a real
// little Go project, controlled by a scripted model.
//
//	go run -C lab ./scriptedmodel/record -out FILE [-agent PATH] [-home DIR]
//
// It creates the project in DIR/shop, has the agent answer seven prompts in one session, and
// copies the session file, as the agent wrote it, to FILE
// (results too long for it go to a directory next to FILE). Start with story_tax.go for what
// happens in it. Everything runs offline; DIR must not exist and stays behind.
//
// It deliberately switches off what would put the agent's own system prompt and tool descriptions
// into the file: they are not ours to publish, and readers skip them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	model "ctxledger.dev/lab/scriptedmodel"
)

// chapters is the story in its order.
func chapters() []chapter {
	return []chapter{taxChapter, discountChapter, stockChapter, pricesChapter, receiptChapter, tidyChapter,
		reportChapter}
}

// deadline bounds the whole recording, which takes about two minutes.
const deadline = 20 * time.Minute

func main() {
	out := flag.String("out", "", "write the session file to `FILE`")
	agent := flag.String("agent", ".cache/agents/claude/node_modules/.bin/claude", "the Claude Code `PATH` to run")
	home := flag.String("home", "/home/dev", "the home `DIR` of the recording; it must not exist")
	flag.Parse()
	if *out == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	if err := record(ctx, *agent, *home, *out); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

// record plays the story below home and copies the session file to out.
func record(ctx context.Context, agent, home, out string) error {
	agent, err := filepath.Abs(agent)
	if err != nil {
		return err
	}
	if err := os.Mkdir(home, 0o755); err != nil {
		return err
	}
	dir, config := filepath.Join(home, "shop"), filepath.Join(home, ".claude")
	if err := errors.Join(createProject(dir), os.Mkdir(config, 0o755)); err != nil {
		return err
	}
	var script model.Script
	for _, c := range chapters() {
		script = append(script, c.steps...)
	}
	server := model.New(script, model.Vars{"dir": dir})
	url, stop, err := server.Serve()
	if err != nil {
		return err
	}
	defer stop()
	session := ""
	for _, c := range chapters() {
		result, err := model.Exec(ctx, agent, model.Options{
			Dir: dir, ConfigDir: config, URL: url, Prompt: c.prompt, Resume: session, ExtraEnv: quiet(),
			ExtraArgs: plain(),
		})
		if err != nil {
			return err
		}
		session = result.SessionID
		fmt.Fprintf(os.Stderr, "record: %s: %d turns\n", session, result.Turns)
	}
	return copySession(config, session, out)
}

// quiet returns the variables that keep the recording offline, let long results through whole,
// and leave the requests themselves out of the session file.
func quiet() []string {
	return []string{
		"GOPROXY=off", "GOTOOLCHAIN=local", "GOTELEMETRY=off", "GOFLAGS=", "GIT_CONFIG_NOSYSTEM=1",
		"CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS=60000",
		"CLAUDE_CODE_ELEGANT_MEADOW=0", // no api-request records
	}
}

// plain returns the arguments that replace the agent's own system prompt and keep its list of
// tools short.
func plain() []string {
	return []string{
		"--system-prompt", "You are a careful Go programmer.", "--system-prompt-snapshot", "off",
		"--disable-slash-commands",
		"--tools", "Bash,Read,Edit,Write,Glob,Grep,TaskCreate,TaskUpdate,TaskList",
	}
}

// copySession copies the one file of the session below config to out, and the results that the
// agent keeps in files of their own to the folder named after it.
func copySession(config, session, out string) error {
	files, err := filepath.Glob(filepath.Join(config, "projects", "*", session+".jsonl"))
	if err != nil || len(files) != 1 {
		return fmt.Errorf("session %s has %d files: %v", session, len(files), err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		return err
	}
	if err := os.WriteFile(out, data, 0o644); err != nil {
		return err
	}
	side := strings.TrimSuffix(files[0], ".jsonl")
	if _, err := os.Stat(side); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return os.CopyFS(strings.TrimSuffix(out, ".jsonl"), os.DirFS(side))
}
