package engine_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

func TestABackupIsTheLedgerAtItsTime(t *testing.T) {
	dir := t.TempDir()
	l, _ := ahead(t, dir)
	session := shop(t, l)
	compact(t, l, session, compactionOf(2))
	view, all := render(t, l, session), originals(t, l, session, 0, 0)
	file := filepath.Join(t.TempDir(), "backup.tar")
	b, err := l.Backup(t.Context(), ledger.BackupRequest{File: file})
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Size() != b.Bytes || info.Mode().Perm()&0o077 != 0 || b.Blobs == 0 || b.Records == 0 ||
		b.File != file {
		t.Errorf("%+v, %v, %v", b, info, err)
	}
	small := filepath.Join(t.TempDir(), "records.tar")
	if r, err := l.Backup(t.Context(), ledger.BackupRequest{File: small, RecordsOnly: true}); err != nil ||
		r.Blobs != 0 || r.Bytes >= b.Bytes {
		t.Errorf("records alone: %+v, %v", r, err)
	}
	hand(t, l, ledger.AppendMessagesRequest{Messages: say("this comes later")})
	there := t.TempDir()
	if out, err := exec.Command("tar", "-xf", file, "-C", there).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	restored, _ := ahead(t, there)
	if !equalAll(view, render(t, restored, session)) || string(all) != string(originals(t, restored, session, 0, 0)) {
		t.Error("the restored ledger is another one")
	}
	if s, err := restored.Sessions(t.Context(), ledger.SessionsRequest{}); err != nil || s.Total != 1 {
		t.Errorf("%d sessions, %v", s.Total, err)
	}
}

func TestABackupHasNoOtherPlace(t *testing.T) {
	dir := t.TempDir()
	l, _ := ahead(t, dir)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	there := filepath.Join(t.TempDir(), "there")
	if err := os.WriteFile(there, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	dangling := filepath.Join(t.TempDir(), "dangling")
	if err := os.Symlink("nowhere", dangling); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name, file string
		code       fault.Code
	}{
		{"relative", "backup.tar", fault.Invalid},
		{"in the state directory", filepath.Join(dir, "backup.tar"), fault.Invalid},
		{"deeper", filepath.Join(dir, "blobs", "backup.tar"), fault.Invalid},
		{"through a link", filepath.Join(link, "backup.tar"), fault.Invalid},
		{"a file that exists", there, fault.Conflict},
		{"a link to nothing", dangling, fault.Conflict},
		{"no directory", filepath.Join(dir, "nosuch", "backup.tar"), fault.Invalid},
	} {
		_, err := l.Backup(t.Context(), ledger.BackupRequest{File: x.file})
		if fault.CodeOf(err) != x.code {
			t.Errorf("%s: %v", x.name, err)
		}
	}
	if got, err := os.ReadFile(there); err != nil || string(got) != "mine" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "backup.tar")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("something was written into the state directory")
	}
}
