package install

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
)

const opWrite = "install.write"

// staged is a change whose new content lies next to its file. All paths but those of receipts are below root.
type staged struct {
	Change
	root *os.Root
	rel  string
	temp string   // the new content, "" for a file to be removed
	made []string // directories that were made, the innermost first
	old  *receipt // the receipt that was there
	done bool
}

// Write makes the changes of a plan: all of them, or none. Each file is replaced at once, and keeps its mode. Nothing is
// written outside of the directories that were planned for, whatever the paths lead to by now. Errors: conflict if a file
// has changed since the plan was made; denied and unavailable for what cannot be written.
func (m Machine) Write(p Plan) error {
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
		all = append(all, &staged{Change: c, root: root, rel: c.at.rel(), old: m.receipt(c.at.real)})
	}
	err := m.each(all, func(s *staged) error { return s.stage(m.ID(8)) })
	if err == nil {
		err = m.each(all, m.commit)
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
func (s *staged) stage(id string) error {
	if err := s.unchanged(); err != nil || s.Gone {
		return err
	}
	if err := s.makeDirs(); err != nil {
		return err
	}
	return s.write(id, s.After)
}

// unchanged compares the file with what was planned for.
func (s *staged) unchanged() error {
	text, _, exists, err := content(s.root, s.rel)
	if err != nil || exists == s.New || !bytes.Equal(text, s.Before) {
		return fault.New(fault.Conflict, opWrite, "it has just been changed by another program").WithHint("try again")
	}
	return nil
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
	s.temp = filepath.Join(filepath.Dir(s.rel), "."+filepath.Base(s.rel)+"."+id+".tmp")
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

// commit makes the change. The receipt comes first: without its change it does no harm.
func (m Machine) commit(s *staged) error {
	if err := s.unchanged(); err != nil {
		return err
	}
	s.done = true
	note := s.note
	if note != nil && note.Version == 0 {
		note = nil
	}
	if err := m.keep(s.at.real, note); err != nil {
		return fault.Wrap(fault.Unavailable, opWrite, err)
	}
	var err error
	if s.Gone {
		err = s.root.Remove(s.rel)
	} else if err = s.root.Rename(s.temp, s.rel); err == nil {
		s.temp = ""
	}
	return fault.Wrap(fault.Unavailable, opWrite, err)
}

// rollBack undoes what was done for a change.
func (m Machine) rollBack(s *staged) error {
	var errs error
	if s.temp != "" {
		errs = s.root.Remove(s.temp)
	}
	if s.done {
		errs = errors.Join(errs, m.keep(s.at.real, s.old), s.restore(m.ID(8)))
	}
	s.removeEmpty(s.made)
	return errs
}

// restore gives the file back what it had, unless it has that or another program has changed it again.
func (s *staged) restore(id string) error {
	now, _, exists, err := content(s.root, s.rel)
	switch {
	case err != nil || exists && !bytes.Equal(now, s.After) || !exists && !s.Gone:
		return err
	case s.New:
		return s.root.Remove(s.rel)
	case exists && bytes.Equal(now, s.Before):
		return nil
	}
	if err := s.write(id, s.Before); err != nil {
		return err
	}
	return s.root.Rename(s.temp, s.rel)
}

// removeEmpty removes directories that were made, as far as nothing else is in them.
func (s *staged) removeEmpty(dirs []string) {
	for _, dir := range dirs {
		if s.root.Remove(dir) != nil {
			return
		}
	}
}
