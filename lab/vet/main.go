// Program vet runs the checks of go vet from source: all of the module's dependencies are read, none is compiled.
// For a system that nothing here is built for, that takes a tenth of the time of go vet, which compiles every
// package and the standard library first.
//
// Its arguments are those of go vet. The system is GOOS, and GOARCH, of its environment: it is built for this
// system, and looks at another.
//
// It deliberately has no check of its own.
package main

import (
	"golang.org/x/tools/go/analysis/multichecker"
	"golang.org/x/tools/go/analysis/suite/vet"
)

func main() { multichecker.Main(vet.Suite...) }
