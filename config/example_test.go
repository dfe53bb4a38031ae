package config_test

import (
	"fmt"
	"os"
	"path/filepath"

	"ctxledger.dev/config"
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
	c, problems, err := config.Load(root)
	fmt.Println(c.Follow, problems, err)
	// Output: false [ctxledger.yaml:2: unknown setting "colour"] <nil>
}
