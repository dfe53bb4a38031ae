package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/lab/sandbox"
)

const (
	// openProjects is how many projects a person has open at once, each in an editor and with an agent.
	openProjects = 20
	// projectFiles is how many files each has besides those that its session touched.
	projectFiles = 2000
	// resting is the time until an owner that nobody asks has released its caches, and a little more.
	resting = 75 * time.Second
)

// measureProjects measures what many open projects take together once nobody works in them: each has an editor and an MCP
// server, which share an owner that follows and observes it.
func measureProjects(ctx context.Context, b *bench) (err error) {
	s, err := sandbox.New(b.bin)
	if err != nil {
		return err
	}
	defer func() {
		leaving, done := context.WithTimeout(context.WithoutCancel(ctx), goodbye)
		defer done()
		err = errors.Join(err, s.Close(leaving))
	}()
	var clients []int
	for i := range openProjects {
		pids, end, err := b.openProject(ctx, s, i)
		if err != nil {
			return err
		}
		defer end()
		clients = append(clients, pids...)
	}
	select {
	case <-time.After(resting):
	case <-ctx.Done():
		return ctx.Err()
	}
	files, err := filepath.Glob(filepath.Join(s.State, "*", link.OwnerName))
	if err != nil {
		return err
	}
	var owners []int
	for _, file := range files {
		if o, err := link.ReadOwner(filepath.Dir(file)); err == nil {
			owners = append(owners, o.PID)
		}
	}
	title := fmt.Sprintf("%d open projects that rest", openProjects)
	b.addTogether(title+": their owners", owners)
	b.addTogether("″: their editors' and agents' servers", clients)
	return nil
}

// addTogether reports what some processes take.
func (b *bench) addTogether(what string, pids []int) {
	var pss, rss int64
	watchers := 0
	for _, pid := range pids {
		pss, rss = pss+sizeIn(pid, "smaps_rollup", "Pss:"), rss+sizeIn(pid, "smaps_rollup", "Rss:")
		fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid)) // the pattern is sound
		for _, fd := range fds {
			if to, err := os.Readlink(fd); err == nil && to == "anon_inode:inotify" {
				watchers++
			}
		}
	}
	if pss > 0 { // else the system does not tell
		b.report.add(fmt.Sprintf("%s, %d processes: memory, shared pages divided", what, len(pids)), megabytes(pss),
			"shared pages counted in each: "+megabytes(rss), "", "1")
		b.report.add("″: inotify instances", fmt.Sprint(watchers), "", "", "1")
	}
}

// openProject makes a project with a session and opens it in an editor and with an agent. It returns the servers of both.
func (b *bench) openProject(ctx context.Context, s *sandbox.Sandbox, n int) (pids []int, end func(), err error) {
	dir := filepath.Join(s.Top, fmt.Sprintf("project%d", n))
	for i := range projectFiles {
		name := filepath.Join(dir, fmt.Sprintf("package%d", i/50), fmt.Sprintf("file%d.go", i))
		if i%50 == 0 {
			err = errors.Join(err, os.MkdirAll(filepath.Dir(name), 0o700))
		}
		err = errors.Join(err, os.WriteFile(name, fmt.Appendf(nil, "package p\n\nconst n%d = %d\n", i, i), 0o600))
	}
	file := filepath.Join(s.Config, "projects", fmt.Sprintf("-project%d", n), session+".jsonl")
	recorded := bytes.ReplaceAll(b.recorded, []byte("/home/dev/shop"), []byte(dir))
	err = errors.Join(err, os.Mkdir(filepath.Join(dir, ".git"), 0o700), os.MkdirAll(filepath.Dir(file), 0o700),
		os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600),
		os.WriteFile(file, recorded, 0o600))
	if err != nil {
		return nil, nil, err
	}
	server := s.Program(ctx, "ctxlsp")
	server.Dir = dir
	editor, err := attach(server)
	if err != nil {
		return nil, nil, err
	}
	if _, err := editor.Initialize(ctx, nil, nil, map[string]any{"rootUri": "file://" + filepath.ToSlash(dir)}); err != nil {
		return nil, nil, err
	}
	agent, err := s.ConnectIn(ctx, dir, "benchmark")
	if err != nil {
		return nil, nil, err
	}
	if _, err := agent.Call(ctx, "context_status", nil, nil); err != nil {
		return nil, nil, err
	}
	return []int{server.Process.Pid, agent.PID}, func() { _ = errors.Join(editor.stop(ctx), agent.Close()) }, nil
}
