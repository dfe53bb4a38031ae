package bolt

import (
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// TestAnErrorOfOpeningNamesTheStateDirectory: "openat ledger.db: permission denied" said not where.
func TestAnErrorOfOpeningNamesTheStateDirectory(t *testing.T) {
	err := inDir("/state", osError("kv.open", &fs.PathError{Op: "openat", Path: ledgerName, Err: fs.ErrPermission}))
	if want := filepath.Join("/state", ledgerName); !strings.Contains(err.Error(), want) ||
		!fault.Is(err, fault.Denied) || fault.HintOf(err) != hintState {
		t.Errorf("%v, hint %q", err, fault.HintOf(err))
	}
	whole := osError("kv.open", &fs.PathError{Op: "open", Path: filepath.Join(t.TempDir(), "x"), Err: fs.ErrNotExist})
	if before := whole.Error(); inDir("/state", whole).Error() != before {
		t.Errorf("%v became %v", before, whole)
	}
}

// TestAStateDirectoryWithTooLongAPath is refused in a few words: the error was the path, without a way out.
func TestAStateDirectoryWithTooLongAPath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the limit is another one there")
	}
	for name, dir := range map[string]string{
		"in all":        "/" + strings.Repeat(strings.Repeat("d", 200)+"/", 30),
		"in one of its": filepath.Join(t.TempDir(), strings.Repeat("d", 300)),
	} {
		_, err := Open(dir, kv.Options{})
		if !fault.Is(err, fault.Invalid) || len(err.Error()) > 200 || !strings.Contains(err.Error(), "too long") ||
			!strings.Contains(fault.HintOf(err), "CTXLEDGER_STATE") {
			t.Errorf("%s: %.300v, hint %q", name, err, fault.HintOf(err))
		}
	}
}
