-- The values of fields and locals through time, of all objects and all calls at once.

-- What a field got, of all objects, in the order of time: as `jhyde query field-history`.
CREATE FUNCTION field_history(
  -- the class that declares it
  of_class TEXT,
  -- its name
  of_field TEXT
) RETURNS TABLE(
  -- the event
  timestamp INTEGER,
  -- the number of the object whose field it is; null of a static one
  object INTEGER,
  -- what it got, as jhyde shows it
  value TEXT,
  -- that, where it is a whole number
  value_int INTEGER,
  -- 1 if nobody wrote it: the field had this value when its object was first met
  found INTEGER,
  -- the call that wrote it: `calls.id`
  call TEXT,
  -- the line that wrote it
  line INTEGER
) AS
SELECT timestamp, object, value, value_int, found, call, line FROM writes
WHERE of IN ('field', 'static') AND field_class = $of_class AND name = $of_field ORDER BY timestamp;

-- What a local variable got, in all calls of its method, in the order of time: as `jhyde query local-history`.
CREATE FUNCTION local_history(
  -- the class that declares the method
  of_class TEXT,
  -- the method
  of_method TEXT,
  -- the local's name
  of_local TEXT
) RETURNS TABLE(
  -- the event
  timestamp INTEGER,
  -- the call whose local it is: `calls.id`
  call TEXT,
  -- what it got, as jhyde shows it
  value TEXT,
  -- that, where it is a whole number
  value_int INTEGER,
  -- the line that wrote it; null for what a parameter was given
  line INTEGER
) AS
SELECT w.timestamp, w.call, w.value, w.value_int, w.line FROM calls c, writes w
WHERE c.class = $of_class AND c.method = $of_method AND w.call = c.id AND w.of = 'local' AND w.name = $of_local
UNION ALL
SELECT a.enter, a.call, a.value, a.value_int, NULL FROM calls c, arguments a
WHERE c.class = $of_class AND c.method = $of_method AND a.call = c.id AND a.name = $of_local
ORDER BY 1;
