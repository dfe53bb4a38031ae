package audit_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ctxledger.dev/agents/audit"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/tokens"
)

func ExampleRun() {
	found, err := audit.Run(context.Background(), audit.Options{
		Mask: strings.Clone,
		Env:  env.System(), Paths: []string{"../../testdata/sessions"}, Models: tokens.Builtin(), Zone: time.UTC,
		Expect: func(int64) {}, Advance: func(int64) {},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	dearest := found.Tools[0]
	fmt.Printf("%d requests; %s was called %d times, and each token of it was sent %.0f times\n",
		found.Total.Requests, dearest.Name, dearest.Calls, dearest.Times())
	// Output:
	// 170 requests; Read was called 41 times, and each token of it was sent 65 times
}
