package memory

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"ctxledger.dev/internal/fault"
)

// Bounds of one import.
const (
	maxImport = 10_000   // memories; a person's collection has tens
	maxIndex  = 4 << 20  // bytes of an index
	maxFile   = 64 << 10 // bytes of one memory's file
)

// UserDir is the directory, in that of an export, of the facts of the user.
const UserDir = "user"

// Import reads the memories of a directory: MEMORY.md with the files it names, in our own layout
// (that of Export) or in jutul-agent's; the same in memory/, in user/ and, with the scopes and authors that
// fuseraft gives them, in repl/ (user) and agents/{name}/. Authors and dates are those that a file of ours says. What
// cannot be taken over is a Problem,
// never the end of the import. The entries are valid for Save, in the order in which they are to be
// saved (with overwrite): of several with one name the newest file comes last. A missing guid is
// made from the file's place, so that a second import finds the same memory.
//
// Errors: not_found when there is no index anywhere; unavailable when the directory cannot be read.
func Import(fsys fs.FS) ([]Entry, []Problem, error) {
	im := importer{fsys: fsys}
	folders, err := im.folders()
	if err != nil {
		return nil, nil, err
	}
	for _, r := range folders {
		im.readFolder(r)
	}
	if !im.any {
		return nil, nil, fault.New(fault.NotFound, "memory.import", "there is no %s in this directory", IndexFile)
	}
	slices.SortStableFunc(im.entries, func(a, b Entry) int { return a.Updated.Compare(b.Updated) })
	return im.entries, im.problems, nil
}

// folder is a directory that may hold an index.
type folder struct {
	dir   string
	scope Scope
	agent string // the agent whose memory it is, "" for none
}

type importer struct {
	fsys     fs.FS
	any      bool // an index was found
	entries  []Entry
	problems []Problem
}

// folders lists the directories to look at.
func (im *importer) folders() ([]folder, error) {
	folders := []folder{{dir: ".", scope: Project}, {dir: "memory", scope: Project}, {dir: UserDir, scope: User},
		{dir: "repl", scope: User}}
	agents, err := fs.ReadDir(im.fsys, "agents")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Wrap(fault.Unavailable, "memory.import", err)
	}
	for _, a := range agents {
		if a.IsDir() {
			folders = append(folders, folder{dir: path.Join("agents", a.Name()), scope: Project, agent: a.Name()})
		}
	}
	return folders, nil
}

// readFolder reads one directory, if it has an index.
func (im *importer) readFolder(r folder) {
	index := path.Join(r.dir, IndexFile)
	data, err := im.read(index, maxIndex)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	im.any = true
	if err != nil {
		im.report(index, 0, "the index cannot be read: %v", err)
		return
	}
	seen := map[string]bool{}
	for _, line := range parseIndex(string(data)) {
		switch {
		case seen[line.File]:
			im.report(index, line.line, "%s is repeated", line.File)
			continue
		case len(im.entries) >= maxImport:
			im.report(index, line.line, "more than %d memories: this and all that follow are left out", maxImport)
			return
		}
		seen[line.File] = true
		im.file(r, index, line)
	}
	im.orphans(r, seen)
}

// file reads one memory that an index names.
func (im *importer) file(r folder, index string, line indexed) {
	if path.Base(line.File) != line.File || strings.ContainsRune(line.File, '\\') ||
		!strings.HasSuffix(line.File, ".md") || line.File == IndexFile {
		im.report(index, line.line, "%q is not the name of a memory file next to the index", line.File)
		return
	}
	name := path.Join(r.dir, line.File)
	data, err := im.read(name, maxFile)
	if err != nil {
		im.report(index, line.line, "%s cannot be read: %v", line.File, err)
		return
	}
	e, problems, err := Parse(data)
	if err != nil && line.whole { // jutul-agent: the index says it, the file may be bare text
		e = Entry{Name: line.Name, Description: line.Description, Body: strings.TrimSuffix(string(data), "\n")}
		err, problems = nil, nil
	}
	for _, p := range problems {
		im.report(name, p.Line, "%s", p.Message)
	}
	if err != nil {
		im.report(name, 0, "%v", err)
		return
	}
	im.add(r, name, e)
}

// add completes an entry and takes it if it is valid.
func (im *importer) add(r folder, name string, e Entry) {
	e.Scope = cmp.Or(e.Scope, r.scope)
	switch {
	case e.Source != "": // the file says it
	case r.agent != "":
		e.Source = "agent:" + r.agent
	default:
		e.Source = "import:" + name
	}
	if info, err := fs.Stat(im.fsys, name); err == nil {
		for _, date := range []*time.Time{&e.Created, &e.Updated} {
			if date.IsZero() {
				*date = info.ModTime()
			}
		}
	}
	if e.GUID == "" {
		sum := sha256.Sum256([]byte("ctxledger memory\x00" + name))
		e.GUID = hex.EncodeToString(sum[:16])
	}
	e = e.tidy()
	if err := e.check(); err != nil {
		im.report(name, 0, "left out: %v", err)
		return
	}
	im.entries = append(im.entries, e)
}

// orphans reports the memories that the index does not name.
func (im *importer) orphans(r folder, seen map[string]bool) {
	files, err := fs.ReadDir(im.fsys, r.dir)
	if err != nil {
		im.report(r.dir, 0, "the directory cannot be read: %v", err)
	}
	for _, f := range files {
		if ok, _ := path.Match("memory_*.md", f.Name()); ok && !seen[f.Name()] {
			im.report(path.Join(r.dir, f.Name()), 0, "not in %s, and so not a memory: add a line for it",
				IndexFile)
		}
	}
}

// read returns a file of at most limit bytes. A pipe would wait for its writer: it is not a file.
func (im *importer) read(name string, limit int64) ([]byte, error) {
	if info, err := fs.Stat(im.fsys, name); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fault.New(fault.Invalid, "memory.import", "it is not a regular file")
	}
	f, err := im.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fault.New(fault.TooLarge, "memory.import", "more than the limit of %d bytes", limit)
	}
	return data, nil
}

// report adds a problem.
func (im *importer) report(file string, line int, format string, args ...any) {
	im.problems = append(im.problems, Problem{File: file, Line: line, Message: fmt.Sprintf(format, args...)})
}
