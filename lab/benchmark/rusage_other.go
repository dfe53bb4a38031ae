//go:build !linux

package main

import "os"

// peakOfChild is not supported here: systems use different units, or report nothing.
func peakOfChild(*os.ProcessState) int64 { return 0 }
