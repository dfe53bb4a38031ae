package sharetest

import (
	"os"
	"path/filepath"
	"testing"

	"ctxledger.dev/lab/programtest"
)

// TestAServerOutlivesItsProgramFile takes the file of a running ctxmcp away, as an update of an extension does,
// and then its owner: the next call starts another one.
func TestAServerOutlivesItsProgramFile(t *testing.T) {
	for _, c := range []struct {
		name string
		away func(t *testing.T, program string)
	}{
		{"deleted", func(t *testing.T, program string) { fine(t, os.Remove(program)) }},
		{"deleted with its directory",
			func(t *testing.T, program string) { fine(t, os.RemoveAll(filepath.Dir(program))) }},
		{"replaced by a newer version",
			func(t *testing.T, program string) { replace(t, program, readFile(t, program)) }},
		{"replaced by half of one", func(t *testing.T, program string) {
			replace(t, program, readFile(t, program)[:1<<20])
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			programs := filepath.Join(t.TempDir(), "bin")
			fine(t, os.Mkdir(programs, 0o700))
			program := filepath.Join(programs, "ctxmcp")
			fine(t, os.WriteFile(program, readFile(t, filepath.Join(bin, "ctxmcp")), 0o700))
			updated := programtest.NewBox(t, bin)
			client, err := with(updated, programs).Connect(deadlined(t), "client")
			fine(t, err)
			t.Cleanup(func() { fine(t, client.Close()) })
			remember(t, client, "before")
			c.away(t, program)
			for range 2 { // the second owner was started by the program that has no file any more
				pid := owner(t, updated)
				fine(t, killProcess(pid))
				remember(t, client, "after")
			}
		})
	}
}

// replace puts another file in the place of a program, as installers do: a program that runs cannot be written.
func replace(t *testing.T, program string, content []byte) {
	t.Helper()
	fine(t, os.WriteFile(program+".new", content, 0o700))
	fine(t, os.Rename(program+".new", program))
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	fine(t, err)
	return content
}
