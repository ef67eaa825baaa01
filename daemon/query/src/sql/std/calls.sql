-- Calls around an event, and calls that threw.

-- The call around an event: `calls.id`; around the beginning and the end of a call it is the caller. Null where none is.
CREATE MACRO around(
  -- the event
  at
) AS (SELECT CASE WHEN e.kind IN ('enter', 'exit') THEN (SELECT c.parent FROM calls c WHERE c.id = e.call) ELSE e.call END
  FROM events e WHERE e.timestamp = $at);

-- The calls around an event, innermost first: as `jhyde query call-chain`.
CREATE FUNCTION call_chain(
  -- the event
  at INTEGER
) RETURNS TABLE(
  -- the call: `calls.id`
  call TEXT,
  -- the class that declares its method
  class TEXT,
  -- its method
  method TEXT,
  -- how many calls are around it
  depth INTEGER,
  -- the event in which it began
  enter INTEGER
) AS
WITH here AS MATERIALIZED (SELECT around!($at) AS call)
SELECT c.id, c.class, c.method, c.depth, c.enter FROM here, calls c WHERE c.id = here.call
UNION ALL
SELECT c.id, c.class, c.method, c.depth, c.enter FROM here, ancestors(here.call) c
ORDER BY 4 DESC;

-- What the call around an event had called before it, and was back from: as `jhyde query pre-calls`.
CREATE FUNCTION pre_calls(
  -- the event
  at INTEGER
) RETURNS TABLE(
  -- the call: `calls.id`
  call TEXT,
  -- the class that declares its method
  class TEXT,
  -- its method
  method TEXT,
  -- the event in which it began
  enter INTEGER,
  -- the event in which it ended
  exit INTEGER,
  -- what it returned, as jhyde shows it
  result TEXT,
  -- the class of the exception that ended it
  exception_class TEXT
) AS
WITH here AS MATERIALIZED (SELECT around!($at) AS call)
SELECT c.id, c.class, c.method, c.enter, c.exit, c.result, c.exception_class
FROM here, children(here.call) c WHERE c.exit < $at ORDER BY c.enter;

-- What the call around an event called after it: as `jhyde query post-calls`.
CREATE FUNCTION post_calls(
  -- the event
  at INTEGER
) RETURNS TABLE(
  -- the call: `calls.id`
  call TEXT,
  -- the class that declares its method
  class TEXT,
  -- its method
  method TEXT,
  -- the event in which it began
  enter INTEGER,
  -- the event in which it ended; null while it runs
  exit INTEGER,
  -- what it returned, as jhyde shows it
  result TEXT,
  -- the class of the exception that ended it
  exception_class TEXT
) AS
WITH here AS MATERIALIZED (SELECT around!($at) AS call)
SELECT c.id, c.class, c.method, c.enter, c.exit, c.result, c.exception_class
FROM here, children(here.call) c WHERE c.enter > $at ORDER BY c.enter;

-- Calls that an exception ended, in the order in which they began.
CREATE FUNCTION calls_that_threw() RETURNS TABLE(
  -- the call: `calls.id`
  call TEXT,
  -- the class that declares its method
  class TEXT,
  -- its method
  method TEXT,
  -- the event in which it began
  enter INTEGER,
  -- the event in which it ended
  exit INTEGER,
  -- the exception's number
  exception INTEGER,
  -- the exception's class
  exception_class TEXT
) AS
SELECT id, class, method, enter, exit, exception, exception_class FROM calls WHERE ended = 'threw' ORDER BY enter;

-- Is an event (a row with `timestamp`) in a call (a row of `calls`), or in what that called? Of other threads, too: compare `thread` besides.
CREATE MACRO within(
  -- the table that has the event
  event,
  -- the table that has the call
  call
) AS ($event.timestamp BETWEEN $call.enter AND coalesce($call.exit, 9223372036854775807));
