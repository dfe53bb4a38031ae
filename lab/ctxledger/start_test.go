package ctxledger

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// ownInit is what a package of ours may allocate before a program begins, in bytes: no table and no regular expression that
// only some commands need.
const ownInit = 16 << 10

// TestAStartAllocatesLittle: every command, hook and test pays for what packages do before the program begins. Such bytes,
// unlike times, are the same at each start. A new dependency that needs more has to be worth it.
func TestAStartAllocatesLittle(t *testing.T) {
	line := regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) bytes, \d+ allocs$`)
	for program, most := range map[string]int{"ctxledger": 512 << 10, "ctxmcp": 2600 << 10, "ctxhook": 40 << 10} {
		cmd := exec.CommandContext(t.Context(), program, "--help")
		cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatal(program, err)
		}
		all := line.FindAllStringSubmatch(string(out), -1)
		if len(all) < 40 {
			t.Fatalf("%s: %d packages are traced:\n%s", program, len(all), out)
		}
		sum := 0
		for _, m := range all {
			n, err := strconv.Atoi(m[2])
			if err != nil {
				t.Fatal(err)
			}
			if sum += n; strings.HasPrefix(m[1], "ctxledger.dev/") && n > ownInit {
				t.Errorf("%s: package %s allocates %d bytes at each start, more than %d", program, m[1], n, ownInit)
			}
		}
		if t.Logf("%s: %d bytes in %d packages", program, sum, len(all)); sum > most {
			t.Errorf("%s: packages allocate %d bytes at each start, more than %d", program, sum, most)
		}
	}
}
