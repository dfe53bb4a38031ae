package workspace_test

import (
	"fmt"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/workspace"
)

func ExampleFind() {
	e := env.Env{
		Dir: "/", Home: "/home/ada",
		Lookup: func(name string) string { return map[string]string{workspace.StateVariable: "/state"}[name] },
	}
	w, err := workspace.Find(e, workspace.Options{})
	fmt.Printf("%q %s %v\n%s\n", w.Root, w.State, err, w.Why)
	// Output:
	// "" /state/user <nil>
	// / is the root of a file system, not a workspace
}
