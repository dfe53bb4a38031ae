package config

import (
	"path/filepath"
	"runtime"

	"ctxledger.dev/internal/env"
)

// UserFile returns the path of the user's own configuration, which holds in every workspace; "" if nothing says
// where the user's files are. It need not exist.
func UserFile(e env.Env) string {
	dir := userConfig(runtime.GOOS, e)
	if !filepath.IsAbs(dir) {
		return ""
	}
	return filepath.Join(dir, "ctxledger", "config.yaml")
}

// userConfig returns where a platform keeps the settings of a user's programs; "" if nothing says.
func userConfig(goos string, e env.Env) string {
	home := func(elements ...string) string {
		if e.Home == "" {
			return ""
		}
		return filepath.Join(append([]string{e.Home}, elements...)...)
	}
	switch goos {
	case "windows":
		if dir := e.Lookup("APPDATA"); dir != "" {
			return dir
		}
		return home("AppData", "Roaming")
	case "darwin":
		return home("Library", "Application Support")
	default:
		// The specification of these variables requires ignoring a relative value.
		if dir := e.Lookup("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
			return dir
		}
		return home(".config")
	}
}
