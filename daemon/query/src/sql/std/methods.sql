-- Methods: how much they ran, what they were given and returned.

-- Methods by how often they were called, those called most first.
CREATE FUNCTION hottest_methods() RETURNS TABLE(
  -- the class that declares it
  class TEXT,
  -- its name
  method TEXT,
  -- its parameters and result (JVMS 4.3.3)
  descriptor TEXT,
  -- how often it was called
  called INTEGER,
  -- calls that an exception ended
  threw INTEGER,
  -- events from the beginning of each call that has ended to its end, also those of the calls in it; one in the other counts twice
  events INTEGER
) AS
SELECT class, method, descriptor, count(*), count(*) FILTER (WHERE ended = 'threw'), coalesce(sum(exit - enter + 1), 0)
FROM calls GROUP BY method_id ORDER BY 4 DESC, 6 DESC;

-- What the calls of a method returned, or threw, in the order in which they ended: as `jhyde query return-history`.
CREATE FUNCTION return_history(
  -- the class that declares it
  of_class TEXT,
  -- its name
  of_method TEXT
) RETURNS TABLE(
  -- the call: `calls.id`
  call TEXT,
  -- the event in which it began
  enter INTEGER,
  -- the event in which it ended
  exit INTEGER,
  -- what it returned, as jhyde shows it
  result TEXT,
  -- that, where it is a whole number
  result_int INTEGER,
  -- the class of the exception that ended it
  exception_class TEXT
) AS
SELECT id, enter, exit, result, result_int, exception_class FROM calls
WHERE class = $of_class AND method = $of_method AND exit IS NOT NULL ORDER BY exit;

-- What the calls of a method were given for one parameter, in the order in which they began: as `jhyde query argument-history`.
CREATE FUNCTION argument_history(
  -- the class that declares it
  of_class TEXT,
  -- its name
  of_method TEXT,
  -- which parameter, from 0
  of_position INTEGER
) RETURNS TABLE(
  -- the call: `calls.id`
  call TEXT,
  -- the event in which it began
  enter INTEGER,
  -- the parameter's name
  name TEXT,
  -- what was given, as jhyde shows it
  value TEXT,
  -- that, where it is a whole number
  value_int INTEGER,
  -- the number of the object that it refers to
  value_object INTEGER
) AS
SELECT a.call, a.enter, a.name, a.value, a.value_int, a.value_object
FROM methods m, arguments a
WHERE m.class = $of_class AND m.name = $of_method AND a.method_id = m.id AND a.position = $of_position ORDER BY a.enter;
