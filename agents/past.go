package agents

import (
	"context"
	"slices"

	"ctxledger.dev/internal/fault"
)

// Bounds of one reading of past sessions: what is older waits for the next one.
const (
	maxPastFiles = 200
	maxPastBytes = 256 << 20
)

// Past says what reading past sessions came to.
type Past struct {
	Sessions int // of which something was read, subagents' not counted
	Failed   int // files that could not be read
	Left     int // files that were not looked at, because enough was read
}

// ReadPast imports the session files that agents left for a workspace and that are not in the ledger, of any age, the
// newest first and so many that it takes seconds. Doing it again reads older ones. progress is called with the bytes
// done and those of all files. Options.Tick, Pulse and Report are not looked at.
//
// Errors: invalid without a workspace; what the ledger answers; that of ctx. Trouble with a file is counted and logged.
func ReadPast(ctx context.Context, api Ledger, o FollowOptions, progress func(done, total int64)) (Past, error) {
	var past Past
	if o.Workspace == "" {
		return past, fault.New(fault.Invalid, "agents.past", "no workspace with sessions to read")
	}
	var files []leftFile
	taken, read := 0, int64(0)
	for _, f := range followers(api, o) {
		f.o.Report = func(rep Report) {
			if taken, read = taken+1, read+rep.Bytes; !f.adapter.Identify(rep.Path, "").Subagent {
				past.Sessions++
			}
		}
		files = append(files, f.left()...)
	}
	slices.SortStableFunc(files, func(a, b leftFile) int { return b.modified.Compare(a.modified) })
	var total, done int64
	for _, file := range files {
		total += file.size
	}
	for i, file := range files {
		if taken >= maxPastFiles || read >= maxPastBytes {
			past.Left = len(files) - i
			break
		}
		err := file.read(ctx, func(at, _ int64) { progress(done+at, total) })
		done += file.size
		switch {
		case ctx.Err() != nil:
			return past, ctx.Err()
		case file.fatal(ctx, err):
			return past, err
		case err != nil:
			past.Failed++
		}
		progress(done, total)
	}
	return past, nil
}

// leftFile is a session file that an agent left.
type leftFile struct {
	listed
	of *follower
}

// left lists the session files of the followed trees.
func (f *follower) left() (files []leftFile) {
	f.findTrees()
	for _, dir := range f.projects() {
		found, err := f.files(dir, "")
		if err != nil {
			f.log.Warn("session files cannot be listed", "dir", dir, "err", err)
		}
		for _, file := range found {
			f.due[file.path] = file.stamp
			files = append(files, leftFile{file, f})
		}
	}
	return files
}

// read imports the file.
func (l leftFile) read(ctx context.Context, progress func(done, total int64)) error {
	im := l.of.newImporter(l.path)
	im.progress = progress
	rep, err := im.run(ctx)
	l.of.report(rep)
	if im.foreign {
		err = nil // of another workspace
	}
	return err
}

// fatal logs an error, and reports whether it is not about the file alone.
func (l leftFile) fatal(ctx context.Context, err error) bool {
	l.of.judge(ctx, l.path, err)
	return l.of.failed[l.path]
}
