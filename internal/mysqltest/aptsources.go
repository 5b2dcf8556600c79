package mysqltest

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// aptSource is one archive that this machine's apt is set up to use.
type aptSource struct {
	uri        string
	suites     []string
	components []string
	options    []string // the ones that must also hold for another suite of the same archive
}

// keptOptions are the options of a source that belong to the archive rather than to one suite:
// how it is signed, and that an archive frozen in the past is old on purpose.
var keptOptions = []string{"signed-by", "trusted", "check-valid-until"}

// debianArchives returns the archives that hold this system's own release, the likeliest first.
// Third parties often call their suite and component the same ("bookworm main"), so an archive
// that also serves the release's updates goes first; the caller tries them in turn.
func debianArchives(sources []aptSource, codename string) []aptSource {
	var archives []aptSource
	rank := func(s aptSource) int {
		rank := 0
		for _, other := range sources {
			if other.uri == s.uri && slices.Contains(other.suites, codename+"-updates") {
				rank -= 2
			}
		}
		if strings.HasSuffix(strings.TrimRight(s.uri, "/"), "/debian") {
			rank--
		}
		return rank
	}
	known := []string{codename, "stable", "testing", "unstable", "sid", "oldstable"}
	for _, s := range sources {
		main := slices.Contains(s.components, "main")
		release := slices.ContainsFunc(s.suites, func(suite string) bool {
			return suite != "" && slices.Contains(known, suite)
		})
		same := func(a aptSource) bool { return a.uri == s.uri }
		if main && release && !slices.ContainsFunc(archives, same) {
			archives = append(archives, s)
		}
	}
	slices.SortStableFunc(archives, func(a, b aptSource) int { return rank(a) - rank(b) })
	return archives
}

// readAptSources reads sources.list and sources.list.d below dir (usually /etc/apt), in both the
// one-line and the deb822 form. Files that cannot be read count as empty.
func readAptSources(dir string) []aptSource {
	parts := filepath.Join(dir, "sources.list.d")
	lists, _ := filepath.Glob(filepath.Join(parts, "*.list"))
	stanzas, _ := filepath.Glob(filepath.Join(parts, "*.sources"))
	var sources []aptSource
	for _, file := range append([]string{filepath.Join(dir, "sources.list")}, lists...) {
		text, _ := os.ReadFile(file)
		sources = append(sources, parseOneLine(string(text))...)
	}
	for _, file := range stanzas {
		text, _ := os.ReadFile(file)
		sources = append(sources, parseDeb822(string(text))...)
	}
	return sources
}

// parseOneLine reads "deb [option=value ...] uri suite component..." lines.
func parseOneLine(text string) []aptSource {
	var sources []aptSource
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		line, _, _ := strings.Cut(lines.Text(), "#")
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "deb")
		if !ok || rest == "" || !strings.ContainsAny(rest[:1], " \t[") {
			continue // also deb-src
		}
		var options []string
		rest = strings.TrimSpace(rest)
		if inner, after, ok := strings.Cut(rest, "]"); ok && strings.HasPrefix(inner, "[") {
			options, rest = keepOptions(strings.Fields(inner[1:])), after
		}
		fields := strings.Fields(rest)
		if len(fields) < 3 || strings.HasPrefix(fields[0], "cdrom:") {
			continue
		}
		sources = append(sources, aptSource{
			uri: fields[0], suites: fields[1:2], components: fields[2:], options: options,
		})
	}
	return sources
}

// keepOptions drops the options that do not carry over to another suite, such as arch.
func keepOptions(options []string) []string {
	return slices.DeleteFunc(options, func(option string) bool {
		name, value, _ := strings.Cut(strings.ToLower(option), "=")
		return value == "" || !slices.Contains(keptOptions, name)
	})
}

// parseDeb822 reads stanzas of "Field: value" lines. A key block inside Signed-By is left out:
// the keys of the system then apply.
func parseDeb822(text string) []aptSource {
	var sources []aptSource
	for stanza := range strings.SplitSeq(strings.ReplaceAll(text, "\r", ""), "\n\n") {
		fields := deb822Fields(stanza)
		if !slices.Contains(strings.Fields(fields["types"]), "deb") || fields["enabled"] == "no" {
			continue
		}
		var options []string
		for _, name := range keptOptions {
			if value := fields[name]; value != "" && len(strings.Fields(value)) == 1 {
				options = append(options, name+"="+value)
			}
		}
		for uri := range strings.FieldsSeq(fields["uris"]) {
			sources = append(sources, aptSource{
				uri: uri, suites: strings.Fields(fields["suites"]),
				components: strings.Fields(fields["components"]), options: options,
			})
		}
	}
	return sources
}

// deb822Fields returns one stanza's fields by lower-case name; continuation lines are joined.
func deb822Fields(stanza string) map[string]string {
	fields := map[string]string{}
	last := ""
	for line := range strings.SplitSeq(stanza, "\n") {
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t"):
			fields[last] += "\n" + strings.TrimSpace(line)
		default:
			if name, value, ok := strings.Cut(line, ":"); ok {
				last = strings.ToLower(strings.TrimSpace(name))
				fields[last] = strings.TrimSpace(value)
			}
		}
	}
	return fields
}
