//go:build !linux

package main

import "syscall"

// userNamespace changes nothing: there is none here, nor the file with the limit.
func userNamespace() *syscall.SysProcAttr { return nil }
