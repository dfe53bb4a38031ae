package config_test

import (
	"fmt"
	"os"
	"path/filepath"

	"ctxledger.dev/config"
	"ctxledger.dev/internal/env"
)

func ExampleLoad() {
	root, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(root)
	text := "Follow: false\ncolour: blue\n"
	if err := os.WriteFile(filepath.Join(root, config.File), []byte(text), 0o600); err != nil {
		panic(err)
	}
	c, problems := config.Load(env.Env{Lookup: func(string) string { return "" }}, root, "")
	fmt.Println(c.Follow, c.FollowFrom, problems)
	// Output: false ctxledger.yaml:1 [ctxledger.yaml:2:1: unknown setting "colour"]
}
