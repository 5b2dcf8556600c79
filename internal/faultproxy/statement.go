package faultproxy

import "strings"

// FaultStatements gives the next n statements whose text matches this mode, as FaultCommits does with
// COMMITs: what commits itself, such as an UPDATE outside of a transaction, can get lost as well. A
// statement that a client prepares is met when it is executed, and taken for the one that was
// prepared last on its connection. match gets the text with its comments; it is called under the
// proxy's lock and must not call the proxy. A negative n means all from now on. It replaces an earlier
// call's rest, and leaves COMMITs alone.
func (p *Proxy) FaultStatements(match func(query string) bool, mode Mode, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.match, p.matchMode, p.matches = match, mode, n
}

// meets returns the mode of a command packet's payload, and false for one that no fault is meant for.
func (c *conn) meets(payload []byte) (Mode, bool) {
	if isCommit(payload) {
		return c.p.next(), true
	}
	if len(payload) == 0 {
		return Pass, false
	}
	switch payload[0] {
	case comPrepare:
		c.prepared = string(payload[1:])
	case comQuery:
		return c.p.nextStatement(queryText(payload))
	case comExecute:
		return c.p.nextStatement(c.prepared)
	}
	return Pass, false
}

// nextStatement returns the mode of a statement.
func (p *Proxy) nextStatement(query string) (Mode, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.matches == 0 || !p.match(query) {
		return Pass, false
	}
	if p.matches > 0 {
		p.matches--
	}
	return p.matchMode, true
}

// queryText returns the text of a text query. A client that can send query attributes puts their
// number first: none, in one set.
func queryText(payload []byte) string {
	return strings.TrimPrefix(string(payload[1:]), "\x00\x01")
}
