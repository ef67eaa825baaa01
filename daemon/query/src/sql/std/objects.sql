-- Objects: those of a class, those that nobody looks at, and who holds one.

-- The objects of a class and of the classes below it, in the order in which they were made. What a class extends and implements is known of recorded classes
-- alone: of a class or interface of the JDK those that recorded classes name themselves are found, not those below another one of the JDK.
CREATE FUNCTION instances(
  -- the class or interface, dotted
  of_class TEXT
) RETURNS TABLE(
  -- the object's number
  object INTEGER,
  -- its class
  object_class TEXT,
  -- how jhyde shows it
  shown TEXT,
  -- the event in which it was made; null where that was not seen
  made INTEGER,
  -- the call that made it: `calls.id`
  call TEXT,
  -- the line that made it
  line INTEGER
) AS
WITH RECURSIVE kinds(name) AS (
  SELECT $of_class
  UNION
  SELECT c.name FROM kinds k, classes c
  WHERE c.super = k.name OR instr(',' || replace(c.interfaces, ' ', '') || ',', ',' || k.name || ',') > 0
)
SELECT o.id, o.object_class, o.shown, o.timestamp, o.call, o.line
FROM objects o WHERE o.object_class IN (SELECT name FROM kinds) ORDER BY o.timestamp;

-- Arrays and objects of recorded classes that the recorded code made, and of which it read no element and no field.
CREATE FUNCTION never_read() RETURNS TABLE(
  -- the object's number
  object INTEGER,
  -- its class
  object_class TEXT,
  -- how jhyde shows it
  shown TEXT,
  -- the event in which it was made
  made INTEGER,
  -- the call that made it: `calls.id`
  call TEXT,
  -- the line that made it
  line INTEGER
) AS
SELECT o.id, o.object_class, o.shown, o.timestamp, o.call, o.line FROM objects o
WHERE o.call IS NOT NULL AND (o.length IS NOT NULL OR o.object_class IN (SELECT name FROM classes WHERE in_scope = 1))
  AND o.id NOT IN (SELECT r.object FROM reads r WHERE r.object IS NOT NULL) ORDER BY o.timestamp;

-- The locals, parameters, fields, elements and collections that hold an object before an event. Of collections and other objects of the JDK those whose
-- contents were told or found by then are looked at, one after the other; a view of one (`subList`, `values()`), what a map has it as a key of, and what calls out
-- of the recorded classes were given are not among them.
CREATE FUNCTION holders(
  -- the object's number
  of_object INTEGER,
  -- the event
  at INTEGER
) RETURNS TABLE(
  -- the variable, as `jhyde history` takes it
  variable TEXT,
  -- what it is: local, parameter, field, static, element or content
  kind TEXT,
  -- the number of the object or array that it is a part of
  holder INTEGER,
  -- the last event that put it there; null for contents
  since INTEGER,
  -- the call that put it there: `calls.id`; null for contents
  call TEXT
) AS
WITH told(id) AS (
  SELECT e.value_object FROM events e WHERE e.kind = 'content' AND e.timestamp < $at
  UNION
  SELECT w.object FROM writes w WHERE w.of = 'content' AND w.timestamp < $at
),
put AS (
  SELECT w.variable, w.of AS kind, w.object AS holder, w.timestamp AS since, w.call FROM writes w
  WHERE w.value_object = $of_object AND w.timestamp < $at AND w.of <> 'content'
  UNION ALL
  SELECT a.call || ':' || a.name, 'parameter', NULL, a.enter, a.call FROM arguments a, calls c
  WHERE a.value_object = $of_object AND a.enter < $at AND c.id = a.call AND c.boundary = 0
)
SELECT p.variable, p.kind, p.holder, p.since, p.call FROM put p
WHERE NOT EXISTS (SELECT 1 FROM writes h WHERE h.variable = p.variable AND h.timestamp > p.since AND h.timestamp < $at)
  AND (p.kind NOT IN ('local', 'parameter')
    OR EXISTS (SELECT 1 FROM calls c WHERE c.id = p.call AND (c.exit IS NULL OR c.exit >= $at)))
UNION ALL
SELECT c.variable, c.kind, t.id, NULL, NULL FROM told t, collection(t.id, $at) c
WHERE c.kind = 'content' AND c.value_object = $of_object
ORDER BY 4 NULLS LAST;
