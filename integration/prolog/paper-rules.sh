#!/bin/bash
# paper-rules.sh PAPER FACTS: does the facts' grammar hold so strictly that JavaTA's printed rules run on them unchanged?
#
# Takes the rules of figures 4 to 8 from the paper's text (PAPER), loads them with FACTS (`jhyde export --jel`), and compares what
# they answer with what daemon/query/prolog/javata.pl answers. Nothing of the paper is kept. No part of CI: the paper is not in
# the repository. The rules printed nowhere (full_detail_call_chain, class_field_history) come from below.
set -euo pipefail
[ $# = 2 ] || { sed -n '2p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# A figure's rules: from the line that begins them to its caption, with typewriter quotes.
figure() {
  awk -v first="$1" -v caption="Figure $2: " 'index($0, first) == 1 { on = 1 } index($0, caption) == 1 { on = 0 } on' "$paper" |
    sed "s/’/'/g; s/Ψ//g"
}
paper=$1
{
  figure 'call_chain(Id, OutList):-' 4
  figure 'where_exception_is_thrown(Thread, Environment):-' 5
  figure 'object_state(E, OName, OId, State):-' 6
  figure '% all methods which are called and exited before Id' 7
  figure 'instance_field_history(S, E, OName, OId, F, R):-' 8
  cat <<'RULES'
full_detail_call_chain(Id, Calls) :-
  call_chain(Id, Ids), sort(0, @>=, Ids, Inwards),
  findall(event(C, T, W), ( member(C, Inwards), event(C, T, W) ), Calls).
class_field_history(S, E, _, F, R) :-
  findall([Id, F, V], ( event(Id, _, setfield(_, c(_), F, V)), Id >= S, Id =< E ), R).
RULES
} >"$scratch/paper.pl"

cat >"$scratch/ask.pl" <<'ASK'
ask :-
  forall(where_exception_is_thrown(T, C), (print(where(T, C)), nl)),
  forall(( event(E, _, W), \+ W = memberfields(_, _), \+ W = threadstart(_) ),
         ( full_detail_call_chain(E, Calls), print(E-Calls), nl,
           pre_event_called_methods(E, Pairs), print(E-Pairs), nl )).
ASK
ask() { swipl -q -g ask -t halt "$1" "$2" "$scratch/ask.pl"; }
ask "$2" "$scratch/paper.pl" >"$scratch/theirs"
ask "$2" "$here/../../daemon/query/prolog/javata.pl" >"$scratch/ours"
[ -s "$scratch/theirs" ] || { echo "the paper's rules answered nothing" >&2; exit 1; }
diff "$scratch/theirs" "$scratch/ours"
echo "the same $(wc -l <"$scratch/ours") answers"
