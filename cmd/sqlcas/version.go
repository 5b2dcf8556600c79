package main

import (
	"regexp"
	"runtime/debug"
)

// unreleased fits the versions that Go makes up for what is no release: each commit has another.
var unreleased = regexp.MustCompile(`-(0\.)?\d{14}-[0-9a-f]{12}|\+dirty|^\(devel\)$|^$`)

// version returns the release that this binary is, and "devel" for what is none. Generated files carry it, and
// must not change with each commit.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || unreleased.MatchString(info.Main.Version) {
		return "devel"
	}
	return info.Main.Version
}
