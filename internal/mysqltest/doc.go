// Package mysqltest gives tests real, throwaway MySQL and MariaDB servers.
//
// A test asks for servers and gets a database of its own on each:
//
//	func TestTransfer(t *testing.T) {
//		t.Parallel()
//		mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
//			db := s.DB(t, "CREATE TABLE account (...)")
//			...
//		})
//	}
//
// Nothing boots before the first test that needs it, and each server boots once per process. The
// withdb command boots once for a whole `go test ./...` and hands the addresses down in the
// environment, so that packages share the servers. Databases are dropped when their test ends.
//
// # Which servers
//
// There are three flavours: mysql97, mariadb1011 and mariadb118. They are looked for in this
// order, and the first place that has one wins:
//
//   - SQLCAS_TEST_DSNS="name=dsn;name=dsn": servers somebody else runs. When it is set nothing
//     else is looked at. Names may be any; the tests create and drop databases on these servers.
//   - mariadbd and mysqld on PATH, and in the folders where packages put them.
//   - trees unpacked by [Install] below the user's cache folder (SQLCAS_TEST_CACHE overrides it).
//
// SQLCAS_TEST_SERVERS="mysql97,mariadb118" uses only the ones named. SQLCAS_TEST_REQUIRE, the same
// kind of list, turns a missing one from a skip into a failure.
//
// # What is left behind
//
// A server listens on 127.0.0.1 at a random port, keeps its data in a temporary folder, and is
// tied to this process by a pipe: exit, panic, -timeout and SIGKILL all end the server and remove
// its folder. Template data folders stay in the cache folder, one per server version.
//
// Server processes need a Unix; elsewhere only SQLCAS_TEST_DSNS works.
package mysqltest
