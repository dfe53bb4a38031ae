package ctxledger

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// summarizer plays the program that a person configured to write summaries: its first argument says how it
// behaves, the second is a file that it writes what it read into.
func summarizer() {
	in, err := io.ReadAll(os.Stdin)
	if err == nil && len(os.Args) > 2 {
		err = os.WriteFile(os.Args[2], in, 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	switch os.Args[1] {
	case "well":
		fmt.Println("## Completed\n- The import reads prices as cents, in `catalog/cents.go`.\n- All tests pass.\n- " +
			"Rewrote src/dream.go.\n\n" +
			"## Open Questions\nNone.\n\n## Remaining Work\nNone.\n\n## Key Findings\n- accounting owns the currency " +
			"package")
	case "silent":
	case "endless":
		for block := strings.Repeat("a tale without an end\n", 1<<10); ; {
			if _, err := fmt.Print(block); err != nil {
				return
			}
		}
	case "lies":
		fmt.Println("All tests pass, everything is green.")
	case "fails":
		fmt.Fprintln(os.Stderr, "out of memory")
		os.Exit(7)
	case "slow": // until the reader is gone
		for range time.Tick(10 * time.Millisecond) {
			if _, err := fmt.Println(); err != nil {
				return
			}
		}
	}
}
