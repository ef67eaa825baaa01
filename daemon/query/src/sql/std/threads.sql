-- Threads: what they waited for, and what ended them.

-- Waits at monitors: `Object.wait`, from when to when, and monitors that a thread got after having waited for them.
CREATE FUNCTION lock_waits() RETURNS TABLE(
  -- the thread's number: `threads.id`
  thread INTEGER,
  -- its name
  thread_name TEXT,
  -- wait (`Object.wait`), or enter (another thread had the monitor)
  kind TEXT,
  -- the number of the object whose monitor it is
  object INTEGER,
  -- that object's class
  object_class TEXT,
  -- the call: `calls.id`
  call TEXT,
  -- the line
  line INTEGER,
  -- the event in which the wait began; null of an enter, whose beginning is not recorded
  since INTEGER,
  -- the event in which it ended; null while it waits
  until INTEGER
) AS
SELECT m.thread, t.name, m.action, m.object, m.object_class, m.call, m.line,
  CASE m.action WHEN 'wait' THEN m.timestamp END,
  CASE m.action WHEN 'enter' THEN m.timestamp ELSE (
    SELECT min(n.timestamp) FROM monitors n
    WHERE n.thread = m.thread AND n.timestamp > m.timestamp AND n.object = m.object AND n.action = 'notified') END
FROM monitors m, threads t
WHERE m.action IN ('wait', 'enter') AND t.id = m.thread ORDER BY m.timestamp;

-- Exceptions that ended a thread.
CREATE FUNCTION uncaught() RETURNS TABLE(
  -- the event in which the thread ended by it
  timestamp INTEGER,
  -- the thread's number: `threads.id`
  thread INTEGER,
  -- its name
  thread_name TEXT,
  -- the exception's number
  exception INTEGER,
  -- its class
  exception_class TEXT,
  -- its message, as much as the recording kept
  message TEXT
) AS
SELECT e.timestamp, e.thread, t.name, e.exception, e.exception_class, e.message
FROM exceptions e, threads t WHERE e.kind = 'uncaught' AND t.id = e.thread ORDER BY e.timestamp;
