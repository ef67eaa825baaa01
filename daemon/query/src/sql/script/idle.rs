//! What of a statement is explained, and what it makes known all the same, so that statements behind it can be explained, too.

use super::token::{Kind, Token, tokens};

/// A statement of SQLite's that is not to do its work.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::sql) struct Idle<'a> {
    /// What its plan is asked of.
    pub(in crate::sql) explained: Option<&'a str>,
    /// What is run instead of it.
    pub(in crate::sql) made: Option<String>,
}

impl<'a> Idle<'a> {
    /// Tables, views and indexes are made, or dropped: a table of what a SELECT finds without a row of it, but with its columns. What changes rows of
    /// a table, or answers, is not run.
    pub(in crate::sql) fn of(text: &'a str) -> Self {
        let words: Vec<Token> = tokens(text).filter(|token| !token.is_blank()).collect();
        let is = |at: usize, all: &[&str]| {
            let token: Option<&Token> = words.get(at);
            token.is_some_and(|token| all.iter().any(|word| token.is(text, word)))
        };
        if !is(0, &["create", "drop"]) {
            return Self {
                explained: Some(text),
                made: None,
            };
        }
        let is_table = is(0, &["create"])
            && (is(1, &["table"]) || is(1, &["temp", "temporary"]) && is(2, &["table"]));
        match is_table.then(|| select(text, &words)).flatten() {
            // SQLite begins with what is in the brackets once a row of the first table is there, and there is none. Without a limit it would take
            // the brackets away, and begin with what is kept of a WITH that is used twice.
            Some((head, select)) => Self {
                explained: Some(select),
                made: Some(format!(
                    "{head} SELECT made.* FROM (SELECT 1 WHERE 0) AS first CROSS JOIN (SELECT * FROM ({select}) LIMIT 0) AS made"
                )),
            },
            None => Self {
                explained: None,
                made: Some(text.to_owned()),
            },
        }
    }
}

/// What stands before and behind the AS of a table: the AS of a column that is computed stands in brackets.
fn select<'a>(text: &'a str, words: &[Token]) -> Option<(&'a str, &'a str)> {
    let mut depth = 0;
    let at = words.iter().position(|token| {
        match token.kind {
            Kind::Open => depth += 1,
            Kind::Close => depth -= 1,
            _ => {}
        }
        depth == 0 && token.is(text, "as")
    })?;
    let rest = words.get(at + 1..)?;
    let last = rest.iter().rfind(|token| token.kind != Kind::Semicolon)?;
    let head = text.get(..words.get(at)?.at.end)?;
    Some((head, text.get(rest.first()?.at.start..last.at.end)?))
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;
    use crate::sql::meter;

    /// What SQLite keeps of the table `made`.
    fn kept(before: &str, statement: &str) -> (String, i64) {
        // Nobody else may be first in this process.
        assert!(meter::install());
        let connection = Connection::open_in_memory().expect("a connection");
        connection.execute_batch(before).expect(before);
        connection.execute_batch(statement).expect(statement);
        let declared = "SELECT sql FROM sqlite_temp_schema WHERE name = 'made'";
        let declared = connection.query_row(declared, [], |row| row.get(0));
        let count = connection.query_row("SELECT count(*) FROM made", [], |row| row.get(0));
        (declared.expect("it is there"), count.expect("rows"))
    }

    #[test]
    fn an_idle_table_has_the_columns_of_the_real_one_and_no_rows() {
        let before = "CREATE TABLE t(a INTEGER, b TEXT, \"c d\" REAL, e);
            INSERT INTO t VALUES(1, 'x', 0.5, NULL), (2, 'y', 1.5, x'00');";
        for select in [
            "SELECT * FROM t",
            "SELECT a, a, b AS x, \"c d\", e FROM t",
            "SELECT count(*), a + 1, b || 'z', CAST(a AS TEXT) AS text, 1.5, max(a) OVER () FROM t",
            "SELECT a FROM t UNION ALL SELECT b FROM t ORDER BY 1 LIMIT 3",
            "SELECT DISTINCT b AS 'odd name' FROM t GROUP BY a HAVING count(*) > 0 -- at its end",
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 9) SELECT i, t.* FROM n, t",
            "VALUES(1, 'two'), (3, 'four')",
            "SELECT 1 AS one;",
            "SELECT 1 AS one /* at its end",
        ] {
            let statement = format!("CREATE TEMP TABLE made AS {select}");
            let idle = Idle::of(&statement);
            let made = idle.made.expect("a table");
            let (real, none) = (kept(before, &statement), kept(before, &made));
            assert!(real.1 > 0, "{select}");
            assert_eq!((real.0, 0), none, "{select}");
        }
    }

    #[test]
    fn an_idle_table_takes_no_work() {
        assert!(meter::install());
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)";
        for select in [
            "SELECT i FROM n",
            "SELECT max(i), count(*) FROM n GROUP BY i % 2 ORDER BY 2",
            "SELECT DISTINCT i FROM n ORDER BY i DESC LIMIT 3 OFFSET 4",
            "SELECT a.i, b.i FROM n a, n b, (SELECT count(*) AS c FROM n) c, (SELECT i FROM n ORDER BY -i) d",
            "SELECT * FROM (SELECT 1 AS one) o, (SELECT DISTINCT i FROM n) d",
            "SELECT * FROM (SELECT 1 AS one) o LEFT JOIN (SELECT max(i) AS m FROM n) d",
            "SELECT i FROM n UNION SELECT -i FROM n",
            "SELECT i FROM n INTERSECT SELECT i FROM n ORDER BY 1",
            "SELECT 1 UNION ALL SELECT count(*) FROM n",
            "SELECT (SELECT count(*) FROM n) AS c, 1 IN (SELECT -i FROM n) AS d, EXISTS (SELECT 1 FROM n WHERE i < 0) AS e",
            "SELECT sum(i) OVER (ORDER BY i) FROM n",
            ", m AS MATERIALIZED (SELECT i FROM n) SELECT a.i FROM m a, m b",
            "VALUES ((SELECT count(*) FROM n)), (2)",
        ] {
            let statement = format!("CREATE TEMP TABLE made AS {endless} {select}");
            let made = Idle::of(&statement).made.expect("a table");
            let mut connection = Connection::open_in_memory().expect("a connection");
            // Far more than what making a table takes, far less than any of it.
            connection
                .progress_handler(50_000, Some(|| true))
                .expect("it is watched");
            connection.execute_batch(&made).expect(select);
        }
    }

    #[test]
    fn what_makes_nothing_known_is_not_run() {
        for text in [
            "SELECT 1",
            "-- a\n INSERT INTO m SELECT 1",
            "WITH a AS (SELECT 1) SELECT * FROM a",
            "DELETE FROM m;",
        ] {
            let idle = Idle::of(text);
            assert_eq!((idle.explained, idle.made), (Some(text), None));
        }
        for text in [
            "CREATE TEMP VIEW v AS SELECT 1;",
            "CREATE TEMP TABLE m(a INTEGER, b AS (a + 1))",
            "CREATE INDEX temp.i ON m(a)",
            "DROP TABLE m",
        ] {
            let idle = Idle::of(text);
            assert_eq!((idle.explained, idle.made.as_deref()), (None, Some(text)));
        }
        let idle = Idle::of("create temporary table if not exists \"as\" as select 1 ; ");
        assert_eq!(idle.explained, Some("select 1"));
    }
}
