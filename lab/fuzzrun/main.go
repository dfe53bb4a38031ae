// Command fuzzrun runs every fuzz target of this module and prints what each did: executions, executions a second
// and new coverage. With -corpus it runs none, and selects inputs that earlier runs found into the tree, where go
// test tries them each time.
//
// Start at run for the one and at selectCorpus for the other; targets finds what there is.
//
// It keeps nothing between runs: the inputs that are interesting lie in the cache of the go command, and crashers
// where that writes them. It stops at the first crasher and names its file.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

func main() {
	each := flag.Duration("time", 10*time.Second, "how long each target runs")
	total := flag.Duration("total", 0, "how long all run together, divided among them; 0: by -time")
	corpus := flag.Bool("corpus", false, "select inputs into testdata/fuzz instead of running")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := act(ctx, *corpus, *each, *total, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "fuzzrun:", err)
		os.Exit(1)
	}
}

// act does what was asked, for the targets whose name or package contains only.
func act(ctx context.Context, corpus bool, each, total time.Duration, only string) error {
	list, err := targets(os.DirFS("."), only)
	if err != nil {
		return err
	}
	if corpus {
		return selectCorpora(ctx, list)
	}
	if total > 0 {
		each = total / time.Duration(len(list))
	}
	return run(ctx, list, each)
}
