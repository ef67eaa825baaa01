-- Threads: what they waited for, and what ended them.

-- Waits at monitors: `Object.wait`, from when to when, and monitors that a thread entered which another one had left since its last event: it may have waited for them.
CREATE FUNCTION lock_waits() RETURNS TABLE(
  -- the thread's number: `threads.id`
  thread INTEGER,
  -- its name
  thread_name TEXT,
  -- wait (`Object.wait`), or enter (another thread had the monitor since this one's last event)
  kind TEXT,
  -- the number of the object whose monitor it is
  object INTEGER,
  -- that object's class
  object_class TEXT,
  -- the call: `calls.id`
  call TEXT,
  -- the line
  line INTEGER,
  -- the event in which the wait began; of an enter the thread's last event before it, behind which it began
  since INTEGER,
  -- the event in which it ended; null while it waits
  until INTEGER
) AS
SELECT w.thread, t.name, w.action, w.object, w.object_class, w.call, w.line, w.since, w.until
FROM (
  SELECT m.thread, m.action, m.object, m.object_class, m.call, m.line, m.timestamp AS since, (
    SELECT min(n.timestamp) FROM monitors n
    WHERE n.thread = m.thread AND n.timestamp > m.timestamp AND n.object = m.object AND n.action = 'notified') AS until,
    m.timestamp AS at
  FROM monitors m WHERE m.action = 'wait'
  UNION ALL
  SELECT e.thread, e.action, e.object, e.object_class, e.call, e.line, e.since, e.timestamp, e.timestamp
  FROM (
    SELECT m.*, (
      SELECT b.timestamp FROM events b WHERE b.thread = m.thread AND b.timestamp < m.timestamp ORDER BY b.timestamp DESC LIMIT 1) AS since
    FROM monitors m WHERE m.action = 'enter') e
  WHERE EXISTS (
    SELECT 1 FROM monitors x
    WHERE x.object = e.object AND x.thread <> e.thread AND x.action IN ('exit', 'wait') AND x.timestamp > e.since AND x.timestamp < e.timestamp)
) w, threads t
WHERE t.id = w.thread ORDER BY w.at;

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
