% Questions to a recording that `jhyde export --jel` wrote: swipl RECORDING.pl javata.pl
%
% The names are those of JavaTA's queries; the rules are jhyde's own. They go by the facts event/3 of the paper's grammar, and
% by more where those do not tell enough: at(Event, Timestamp); left(Call, Exception, Timestamp), which says that a call
% ended by an exception; extends(Class, Above) and declares(Class, Field); hidden(Event, Class), where setfield wrote the field
% of a super class that another one of that name hides.

% enclosing(+Event, -Call): Call ran when Event happened, and is not the call that begins or ends there.
enclosing(Event, Call) :-
    event(Event, Thread, _),
    event(Call, Thread, methodcall(_, _, _, _)),
    Call < Event,
    ends_behind(Call, Event).

ends_behind(Call, Event) :-
    (   event(Exit, _, methodexit(Call, _, _, _, _))
    ->  Exit > Event
    ;   left(Call, _, End)
    ->  at(Event, Timestamp),
        Timestamp < End
    ;   true
    ).

% call_chain(+Event, -Calls): the numbers of the calls around an event, outermost first.
call_chain(Event, Calls) :-
    findall(Call, enclosing(Event, Call), Found),
    sort(Found, Calls).

% full_detail_call_chain(+Event, -Calls): the same as events, innermost first.
full_detail_call_chain(Event, Calls) :-
    call_chain(Event, Numbers),
    reverse(Numbers, Inwards),
    findall(event(Call, Thread, What),
            ( member(Call, Inwards), event(Call, Thread, What) ),
            Calls).

% where(?Thread, ?What, -Call): the call that encloses an event of this kind.
where(Thread, What, Call) :-
    event(Event, Thread, What),
    full_detail_call_chain(Event, [Call|_]).

% where_exception_is_thrown(?Thread, -Call): the call in which an exception was thrown that ended its thread.
where_exception_is_thrown(Thread, Call) :-
    where(Thread, exception(_, _, _, uncaught), Call).

% pre_event_called_methods(+Event, -Pairs): what had been called, and had returned, before an event in the call around it, at
% any depth; each as [methodcall, methodexit].
pre_event_called_methods(Event, Pairs) :-
    findall([event(Call, Thread, Begin), event(Exit, Thread, End)],
            called_before(Event, Thread, Call, Begin, Exit, End),
            Pairs).

called_before(Event, Thread, Call, Begin, Exit, End) :-
    full_detail_call_chain(Event, [event(Around, Thread, _)|_]),
    Begin = methodcall(_, _, _, _),
    event(Call, Thread, Begin),
    Call > Around,
    Call < Event,
    End = methodexit(Call, _, _, _, _),
    event(Exit, Thread, End),
    Exit < Event.

% instance_field_history(+From, +To, ?Class, ?Object, ?Field, -History): [Event, Field, Value] of each write.
instance_field_history(From, To, Class, Object, Field, History) :-
    findall([Event, Field, Value],
            ( event(Event, _, setfield(_, o(Class, Object), Field, Value)),
              between(From, To, Event),
              \+ hidden(Event, _) ),
            History).

% class_field_history(+From, +To, +Class, +Field, -History): the same of a static field, also one that a super class declares.
class_field_history(From, To, Class, Field, History) :-
    declarer(Class, Field, Declarer),
    findall([Event, Field, Value],
            ( event(Event, _, setfield(_, c(Declarer), Field, Value)),
              between(From, To, Event) ),
            History).

% declarer(+Class, +Field, -Declarer): the class, or the nearest above it, that declares a field of the name.
declarer(Class, Field, Declarer) :-
    (   declares(Class, Field)
    ->  Declarer = Class
    ;   extends(Class, Above)
    ->  declarer(Above, Field, Declarer)
    ;   Declarer = Class
    ).

% object_state(+At, ?Class, +Object, -State): the last write of each field by an event; [Field] alone if there was none.
object_state(At, Class, Object, State) :-
    once(event(_, _, methodcall(_, o(Class, Object), '<init>', _))),
    once(event(_, _, memberfields(c(Class), Fields))),
    findall(Last, ( member(Field, Fields), last_write(Field, At, Class, Object, Last) ), State).

last_write(of(Field), At, Class, Object, Last) :-
    instance_field_history(0, At, Class, Object, Field, History),
    ( last(History, Last) -> true ; Last = [Field] ).
last_write(cf(Field), At, Class, _, Last) :-
    class_field_history(0, At, Class, Field, History),
    ( last(History, Last) -> true ; Last = [Field] ).
