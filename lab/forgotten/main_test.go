package forgotten

import (
	"flag"
	"os"
	"testing"
	"time"

	"ctxledger.dev/lab/programtest"
)

var (
	rounds  = flag.Int("rounds", 2, "how many times something is planted and forgotten")
	watched = flag.Int("watched", 1, "how many of the rounds are watched afterwards")
	watch   = flag.Duration("watch", 2*time.Second, "how long a round is watched")
	seed    = flag.Uint64("seed", 1, "of the rounds")
)

// bin is the directory of the built programs.
var bin string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(programtest.Run(m, func(dir string) error {
		bin = dir
		return programtest.Build(dir, "ctxledger.dev/cmd/ctxledger", "ctxledger.dev/cmd/ctxmcp",
			"ctxledger.dev/cmd/ctxhook")
	}))
}
