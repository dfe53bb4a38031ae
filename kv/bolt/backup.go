package bolt

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
)

// Backup implements kv.Store. It copies the records to a temporary file first: a slow w does not delay the
// reuse of pages, and the archive contains no deleted data.
func (s *Store) Backup(ctx context.Context, w io.Writer, blobs bool) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.calls.Done()
	t := &archive{ctx: ctx, tar: tar.NewWriter(w)}
	if err := s.backupRecords(t); err != nil {
		return err
	}
	if blobs {
		if err := s.backupBlobs(t); err != nil {
			return err
		}
	}
	return t.tar.Close()
}

// backupRecords writes a snapshot of the records.
func (s *Store) backupRecords(t *archive) error {
	l := s.acquire()
	name, snapshot, err := copyLedger(t.ctx, s.root, l)
	s.release(l)
	if err != nil {
		return err
	}
	defer discard(s.root, name, snapshot)
	info, err := snapshot.file.Stat()
	if err != nil {
		return osError("kv.backup", err)
	}
	m, err := readMeta(snapshot.file, info.Size())
	if err != nil {
		return err
	}
	size := int64(m.pages) * m.pageSize // the file may be larger
	return t.file(ledgerName, info, io.NewSectionReader(snapshot.file, 0, size), size)
}

// backupBlobs writes the files of the blobs as they are.
func (s *Store) backupBlobs(t *archive) error {
	if err := t.dir(blobsName); err != nil {
		return err
	}
	last := ""
	for b, err := range s.blobs.each(t.ctx) {
		if err != nil {
			return err
		}
		dir, path := place(b.Hash)
		if dir != last {
			if err := t.dir(blobsName + "/" + dir); err != nil {
				return err
			}
			last = dir
		}
		if err := s.backupBlob(t, path); err != nil {
			return err
		}
	}
	return nil
}

// backupBlob writes one blob's file, unless it has been deleted.
func (s *Store) backupBlob(t *archive, path string) error {
	f, _, err := safefs.OpenIn(s.blobs.root, path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return osError("kv.backup", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return osError("kv.backup", err)
	}
	return t.file(blobsName+"/"+path, info, f, info.Size())
}

// archive writes a tar archive whose files belong to the user who unpacks it, and are private.
type archive struct {
	ctx context.Context
	tar *tar.Writer
}

// dir adds a directory.
func (a *archive) dir(name string) error {
	return a.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: dirMode})
}

// file adds the first size bytes of r as a file with the modification time of info.
func (a *archive) file(name string, info os.FileInfo, r io.Reader, size int64) error {
	h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: fileMode, Size: size, ModTime: info.ModTime()}
	if err := a.tar.WriteHeader(h); err != nil {
		return err
	}
	n, err := io.Copy(a.tar, &ctxReader{a.ctx, io.LimitReader(r, size)})
	if err == nil && n < size {
		return fault.New(fault.Unavailable, "kv.backup", "%s became shorter while it was being read", name)
	}
	return err
}
