package install

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/privatefile"
	"ctxledger.dev/internal/safefs"
)

const opWrite = "install.write"

// staged is a change whose new content lies next to its file. All paths but those of receipts are below root.
type staged struct {
	Change
	root   *os.Root
	rel    string
	temp   string   // the new content, "" for a file to be removed
	made   []string // directories that were made, the innermost first
	old    *receipt // the receipt that was there
	tries  int
	done   bool // the receipt may be another one
	placed bool // the file was replaced
}

// maxTries is how often a file is tried that other programs keep changing. With a writer every 20 ms and a disk that needs
// half of that to sync, this many fail once in a million times.
const maxTries = 20

// Write makes the changes of a plan: all of them, or none. Signals that ask the process to end do not interrupt it. Each
// file is replaced atomically, and keeps its mode; one that another program has changed since is planned again. Nothing
// is written outside the directories that were planned for, whatever the paths lead to by now. Errors: conflict if a
// file changes faster than it can be written; denied and unavailable for what cannot be written; those of planning.
func (m Machine) Write(p Plan) error {
	told := make(chan os.Signal, 1)
	signal.Notify(told, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(told)
	for _, l := range p.abandoned {
		if err := l.remove(); err != nil {
			return of(filepath.Join(l.base, l.rel), err)
		}
	}
	var all []*staged
	defer func() {
		for _, s := range all {
			_ = s.root.Close() // everything is synced
		}
	}()
	for _, c := range p.Changes {
		root, err := safefs.OpenRoot(c.at.base)
		if err != nil {
			return of(c.Path, fault.Wrap(fault.Unavailable, opWrite, err))
		}
		all = append(all, &staged{Change: c, root: root, rel: c.at.rel(), old: m.stored(c.at.real)})
	}
	err := m.each(all, func(s *staged) error { return s.stage(m.ID) })
	if err == nil {
		err = m.each(all, m.commit)
	}
	for _, real := range p.stale {
		if err == nil {
			err = fault.Wrap(fault.Unavailable, opWrite, m.keep(real, nil))
		}
	}
	if err != nil {
		for i := len(all) - 1; i >= 0; i-- {
			err = errors.Join(err, m.rollBack(all[i]))
		}
		return err
	}
	for _, s := range all {
		if s.Gone && s.note != nil {
			s.removeEmpty(s.note.Dirs)
		}
	}
	return nil
}

// each does something for each change, up to the first error.
func (m Machine) each(all []*staged, do func(s *staged) error) error {
	for _, s := range all {
		if err := do(s); err != nil {
			return of(s.Path, err)
		}
	}
	return nil
}

// stage writes the new content next to the file.
func (s *staged) stage(id func(n int) string) error {
	if s.nothing() {
		return nil
	}
	if err := s.unchanged(); err != nil {
		return s.anew(id, err)
	}
	if s.Gone {
		return nil
	}
	if err := s.makeDirs(); err != nil {
		return err
	}
	return s.write(id(8), s.After)
}

// anew plans the change again, for the file as it is by now, and stages that. why is what made it necessary, which counts
// once this was tried too often.
func (s *staged) anew(id func(n int) string, why error) error {
	if s.tries++; s.tries >= maxTries || s.again == nil || !fault.Is(why, fault.Conflict) {
		return why
	}
	if s.temp != "" {
		if err := s.root.Remove(s.temp); err != nil {
			return fault.Wrap(fault.Unavailable, opWrite, err)
		}
		s.temp = ""
	}
	c, err := s.again()
	if err != nil {
		return err
	}
	if c == nil { // somebody else has done it
		c = &Change{Agent: s.Agent, Path: s.Path, at: s.at}
	}
	if c.at.real != s.at.real {
		return fault.New(fault.Conflict, opWrite, "it has just become a link to another file").WithHint("try again")
	}
	c.again = s.again
	if s.Change = *c; s.note != nil && len(s.note.Dirs) == 0 {
		s.note.Dirs = s.made
	}
	return s.stage(id)
}

// nothing reports whether there is nothing to change any more.
func (s *staged) nothing() bool {
	return s.tries > 0 && s.note == nil && s.After == nil && s.Before == nil && !s.Gone
}

// unchanged compares the file with what was planned for.
func (s *staged) unchanged() error {
	text, _, exists, err := content(s.root, s.rel)
	if err != nil || exists == s.New || !bytes.Equal(text, s.Before) {
		return changedMeanwhile()
	}
	return nil
}

func changedMeanwhile() error {
	return fault.New(fault.Conflict, opWrite, "another program keeps changing it, or has put something else in its place").
		WithHint("stop the agent that writes it, and try again")
}

// makeDirs makes the directories of the file, for the user alone.
func (s *staged) makeDirs() error {
	var missing []string
	for at := filepath.Dir(s.rel); at != "."; at = filepath.Dir(at) {
		if _, err := s.root.Stat(at); err == nil {
			break
		}
		missing = append(missing, at)
	}
	for i := len(missing) - 1; i >= 0; i-- {
		if err := s.root.Mkdir(missing[i], 0o700); err != nil {
			return fault.Wrap(fault.Unavailable, opWrite, err)
		}
		s.made = append([]string{missing[i]}, s.made...)
	}
	if s.note != nil && len(s.note.Dirs) == 0 {
		s.note.Dirs = s.made
	}
	return nil
}

// write puts a content into a temporary file next to the file.
func (s *staged) write(id string, content []byte) error {
	s.temp = filepath.Join(filepath.Dir(s.rel), privatefile.Temp(filepath.Base(s.rel), id))
	f, err := s.root.OpenFile(s.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		s.temp = ""
		return fault.Wrap(fault.Unavailable, opWrite, err)
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Chmod(s.at.mode)
	}
	if err == nil {
		err = f.Sync()
	}
	return fault.Wrap(fault.Unavailable, opWrite, errors.Join(err, f.Close()))
}

// commit makes the change. Everything slow comes first: the receipt, which does no harm without its change. Then the file
// is compared with what was planned for, and replaced at once.
func (m Machine) commit(s *staged) error {
	for {
		if s.nothing() {
			return nil
		}
		s.done = true
		note := s.note
		if note != nil && note.Version == 0 {
			note = nil
		}
		if note != nil {
			if err := m.keep(s.at.real, note); err != nil {
				return fault.Wrap(fault.Unavailable, opWrite, err)
			}
		}
		err := s.unchanged()
		if err == nil {
			err = m.replaced(s, note)
		}
		if err == nil {
			return nil
		}
		if err = s.anew(m.ID, err); err != nil {
			return err
		}
	}
}

// replaced puts the staged content in the place of the file, and then forgets a receipt that is of no use any more.
func (m Machine) replaced(s *staged, note *receipt) error {
	var err error
	if s.Gone {
		err = s.root.Remove(s.rel)
	} else if err = s.place(); err == nil {
		s.temp = ""
	}
	s.placed = err == nil
	if err == nil && note == nil {
		err = m.keep(s.at.real, nil)
	}
	if fault.Is(err, fault.Conflict) {
		return err
	}
	return fault.Wrap(fault.Unavailable, opWrite, err)
}

// place puts the staged content in the place of the file. Where the system can exchange two files, what comes out is looked
// at: another program may have written it since it was compared. That goes back, and the error is conflict.
func (s *staged) place() error {
	swapped := false
	if !s.New {
		var err error
		if swapped, err = exchange(s.root, s.temp, s.rel); errors.Is(err, fs.ErrNotExist) {
			return changedMeanwhile() // it was removed since it was compared
		}
		if err != nil {
			return err
		}
	}
	if !swapped {
		return s.root.Rename(s.temp, s.rel)
	}
	out, _, _, err := content(s.root, s.temp)
	if err == nil && bytes.Equal(out, s.Before) {
		return s.root.Remove(s.temp)
	}
	last := s.After
	for range maxTries { // what comes out next is ours, or newer than what went back
		if _, err := exchange(s.root, s.temp, s.rel); err != nil {
			return err
		}
		newer, _, _, err := content(s.root, s.temp)
		if err != nil { // no file that can be read, and the newest: it goes back as well
			_, err = exchange(s.root, s.temp, s.rel)
			return errors.Join(changedMeanwhile(), err)
		}
		if bytes.Equal(newer, last) {
			break
		}
		last, out = out, newer
	}
	return changedMeanwhile()
}

// rollBack undoes what was done for a change. Where another program has changed the file again, our entries and the receipt
// stay: uninstalling finds both.
func (m Machine) rollBack(s *staged) error {
	var errs error
	if s.temp != "" {
		errs = s.root.Remove(s.temp)
		s.temp = ""
	}
	if s.done {
		back, err := s.restore(m.ID(8))
		if errs = errors.Join(errs, err); back {
			errs = errors.Join(errs, m.keep(s.at.real, s.old))
		}
	}
	s.removeEmpty(s.made)
	return errs
}

// restore gives the file back what it had. It reports whether the file is without the change: it was not made, or is undone.
func (s *staged) restore(id string) (back bool, err error) {
	now, _, exists, err := content(s.root, s.rel)
	switch {
	case err != nil:
		return true, nil // something else is in its place, and was before
	case exists && !bytes.Equal(now, s.After) || !exists && !s.Gone:
		return !s.placed, nil
	case s.New:
		return true, s.root.Remove(s.rel)
	case exists && bytes.Equal(now, s.Before):
		return true, nil
	}
	if err := s.write(id, s.Before); err != nil {
		return false, err
	}
	return true, s.root.Rename(s.temp, s.rel)
}

// removeEmpty removes directories that were made, as far as nothing else is in them.
func (s *staged) removeEmpty(dirs []string) {
	for _, dir := range dirs {
		if s.root.Remove(dir) != nil {
			return
		}
	}
}

// leftover is a temporary file that a killed process left. It may hold keys.
type leftover struct {
	base string // the directory below which it is removed
	rel  string
}

// abandoned returns what killed processes left next to a configuration, and of all receipts.
func (m Machine) abandoned(at present) (out []leftover) {
	for _, next := range []struct{ base, rel, of string }{
		{at.base, filepath.Dir(at.rel()), filepath.Base(at.real)},
		{m.State, receipts, ""},
	} {
		for _, e := range listed(next.base, next.rel) {
			if privatefile.Abandoned(e, next.of, m.Now()) {
				out = append(out, leftover{next.base, filepath.Join(next.rel, e.Name())})
			}
		}
	}
	return out
}

// listed returns what is in a directory; nothing if it cannot be read.
func listed(base, rel string) []fs.DirEntry {
	root, err := safefs.OpenRoot(base)
	if err != nil {
		return nil
	}
	defer root.Close() // only read
	dir, err := safefs.OpenDirIn(root, rel)
	if err != nil {
		return nil
	}
	defer dir.Close()         // only read
	all, _ := dir.ReadDir(-1) // what there is of it
	return all
}

// remove removes the file. Somebody else may have done so.
func (l leftover) remove() error {
	root, err := safefs.OpenRoot(l.base)
	if err == nil {
		defer root.Close() // a removal needs no sync
		err = root.Remove(l.rel)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fault.Wrap(fault.Unavailable, opWrite, err)
}
