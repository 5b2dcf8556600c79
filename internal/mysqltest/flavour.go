package mysqltest

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The flavours tests run on. A name says which behaviour is asked for; the version that answers
// may be a neighbour, so reports always carry the server's own version as well.
const (
	// MySQL97 is MySQL 9: row locks and snapshots as Oracle's server has them.
	MySQL97 = "mysql97"
	// MariaDB1011 is MariaDB before 11.6, where innodb_snapshot_isolation is off by default.
	MariaDB1011 = "mariadb1011"
	// MariaDB118 is MariaDB from 11.6 on: a stale write in a snapshot is error 1020.
	MariaDB118 = "mariadb118"
)

// Flavours returns the names of all flavours, in the order they are reported.
func Flavours() []string { return []string{MySQL97, MariaDB1011, MariaDB118} }

// ParseNames splits a comma-separated list of flavours, as the environment and the command line
// have it. It returns nil for an empty list and an error that names the first unknown flavour.
func ParseNames(list string) ([]string, error) {
	names := splitList(list)
	for _, name := range names {
		if !slices.Contains(Flavours(), name) {
			return nil, fmt.Errorf("mysqltest: no server flavour %q; there are %s",
				name, strings.Join(Flavours(), ", "))
		}
	}
	return names, nil
}

// splitList splits at commas and drops blanks and empty parts.
func splitList(list string) []string {
	var names []string
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// versionPattern finds the version in what `mysqld --version` prints, on both families.
var versionPattern = regexp.MustCompile(`\bVer (\d+\.\d+\.\d+\S*)`)

// parseVersion returns the version in the output of --version, or "" when there is none.
func parseVersion(output string) string {
	m := versionPattern.FindStringSubmatch(output)
	if m == nil {
		return ""
	}
	return m[1]
}

// flavourOf sorts a server version into the flavour whose behaviour it has, or "" when it is too
// old to stand for any. The border inside MariaDB is 11.6, where the default of
// innodb_snapshot_isolation turned.
func flavourOf(version string) string {
	major, minor := majorMinor(version)
	switch {
	case isMariaDB(version) && (major > 11 || major == 11 && minor >= 6):
		return MariaDB118
	case isMariaDB(version) && (major > 10 || major == 10 && minor >= 6):
		return MariaDB1011
	case !isMariaDB(version) && major >= 8:
		return MySQL97
	}
	return ""
}

// isMariaDB tells the families apart by the version string, which MariaDB marks.
func isMariaDB(version string) bool { return strings.Contains(version, "MariaDB") }

// majorMinor reads the first two numbers of a version; what is not a number counts as 0.
func majorMinor(version string) (major, minor int) {
	parts := strings.SplitN(version, ".", 3)
	major, _ = strconv.Atoi(parts[0])
	if len(parts) > 1 {
		minor, _ = strconv.Atoi(parts[1])
	}
	return major, minor
}
