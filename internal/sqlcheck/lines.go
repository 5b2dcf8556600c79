package sqlcheck

import (
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"
)

// lines know where the lines of a text are, and count characters without reading all of it again: a text may
// have thousands of faults, and one line of a dump be longer than most files.
type lines struct {
	text   string
	starts []int // of each line
	marks  []int // where every markEvery-th character begins
}

// markEvery is how many characters are read at most to count them up to a place.
const markEvery = 1024

// lastLines are those of the text that was asked about last: faults come text by text. Strings that share
// their bytes are compared without being read.
var lastLines atomic.Pointer[lines]

func linesIn(text string) *lines {
	if l := lastLines.Load(); l != nil && l.text == text {
		return l
	}
	l := &lines{text: text, starts: []int{0}}
	count := 0
	for at, r := range text {
		if count%markEvery == 0 {
			l.marks = append(l.marks, at)
		}
		count++
		if r == '\n' {
			l.starts = append(l.starts, at+1)
		}
	}
	lastLines.Store(l)
	return l
}

// at returns the line of an offset, from 1.
func (l *lines) at(offset int) int {
	i, found := slices.BinarySearch(l.starts, offset)
	if found {
		return i + 1
	}
	return i
}

// span is a line from 1, without what ends it.
func (l *lines) span(line int) Span {
	end := len(l.text)
	if line < len(l.starts) {
		end = l.starts[line] - 1
	}
	return Span{l.starts[line-1], end}
}

// characters returns how many characters are before an offset.
func (l *lines) characters(offset int) int {
	i, found := slices.BinarySearch(l.marks, offset)
	if found {
		return i * markEvery
	}
	if i == 0 {
		return 0
	}
	return (i-1)*markEvery + utf8.RuneCountInString(l.text[l.marks[i-1]:offset])
}

// offset returns where the n-th character begins, from 0; the text's end if it has fewer.
func (l *lines) offset(n int) int {
	mark := max(n, 0) / markEvery
	if mark >= len(l.marks) {
		return len(l.text)
	}
	at := l.marks[mark]
	for range n - mark*markEvery {
		_, size := utf8.DecodeRuneInString(l.text[at:])
		at += size
	}
	return at
}

// place returns the offset of a line and a column, both from 1.
func (l *lines) place(line, column int) int {
	line = min(max(line, 1), len(l.starts))
	return l.offset(l.characters(l.starts[line-1]) + max(column-1, 0))
}

// isComment reports whether a line is a comment and nothing else.
func (l *lines) isComment(line int) bool {
	span := l.span(line)
	text := strings.TrimSpace(l.text[span.Start:span.End])
	if text == "" || !isComment(text) {
		return false
	}
	return !strings.HasPrefix(text, "/*") || strings.HasSuffix(text, "*/")
}

// below returns for each line, from 1, the first one from it on that is more than a comment. Past the last line
// is none.
func (l *lines) below() []int {
	below := make([]int, len(l.starts)+2)
	below[len(l.starts)+1] = len(l.starts) + 1
	for line := len(l.starts); line > 0; line-- {
		below[line] = line
		if l.isComment(line) {
			below[line] = below[line+1]
		}
	}
	return below
}
