package privatefile

import (
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"time"

	"ctxledger.dev/internal/pattern"
	"ctxledger.dev/internal/process"
)

// longest is how long a temporary file is in use at most. An older one was left, whoever has the id of its process now.
const longest = time.Minute

// tempName matches the name of a temporary file: of which file, and the id of the process that made it.
var tempName = pattern.Lazy(`^\.(.+)\.([0-9a-f]{16})[0-9a-f]*\.tmp$`)

// Temp returns the name of a temporary file next to one of a name, by which Abandoned knows it. id is in hexadecimal digits.
func Temp(name, id string) string { return fmt.Sprintf(".%s.%016x%s.tmp", name, os.Getpid(), id) }

// Abandoned reports whether an entry of a directory is a temporary file next to one of a name that nobody will put in its
// place: the process that made it has ended. "" is any name.
func Abandoned(e fs.DirEntry, name string, now time.Time) bool {
	m := tempName().FindStringSubmatch(e.Name())
	if m == nil || name != "" && m[1] != name || !e.Type().IsRegular() {
		return false
	}
	if pid, err := strconv.ParseInt(m[2], 16, 32); err != nil || !process.Alive(int(pid)) {
		return true
	}
	info, err := e.Info()
	return err == nil && now.Sub(info.ModTime()) > longest
}
