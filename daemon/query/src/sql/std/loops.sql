-- Loops of all calls at once.

-- The loops that ran, those with the most iterations first. The events of all calls are gone through for it.
CREATE FUNCTION loops_by_iterations() RETURNS TABLE(
  -- the call: `calls.id`
  call TEXT,
  -- the class that declares its method
  class TEXT,
  -- its method
  method TEXT,
  -- the line of the loop's header
  line INTEGER,
  -- how often its body ran; null while control is in it
  iterations INTEGER,
  -- its first event
  enter INTEGER,
  -- its last event
  exit INTEGER
) AS
SELECT c.id, c.class, c.method, l.line, l.iterations, l.enter, l.exit
FROM calls c, loops(c.id) l WHERE c.boundary = 0 ORDER BY l.iterations DESC, l.enter;
