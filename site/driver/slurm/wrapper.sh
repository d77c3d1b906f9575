# Runs one part on its first node: the batch script of its job, behind a line `cd PART || exit 120`.
# Needs a POSIX sh, date, ln, mv, rm, setsid and sleep; nothing of muster. Starts more
# exactly where there is mkfifo. Marks: token_folder.h.
#
# A token starts once: nothing runs before its job has made `run/started`, which the daemon makes,
# too, when it gives the token up. `run/owner` only lets a second job of a token end at once, and
# not wait on nodes that others need. `ln` makes a mark with its content or not at all; whose
# content is there decides, and not what `ln` says: NFS may repeat a call whose answer was lost.

umask 077
. ./spec || exit 120
term='' woke='' by='' ticker='' armed=0 answered='' child=''
trap 'term=1 woke=1' TERM
trap 'woke=1' USR1

now() {  # NOW: UTC in milliseconds
  NOW=$(date +%s%N)
  case $NOW in
    '' | *[!0-9]*) NOW=$(date +%s)000 ;;  # a date without nanoseconds
    *) NOW=${NOW%??????} ;;
  esac
}
uptime() {  # UP: milliseconds of the boot clock
  read -r UP rest </proc/uptime
  UP=${UP%.*}${UP#*.}0
}
clock() {  # NOW and UP, at about one time
  now
  uptime
  OFFSET=$((NOW - UP))
}
soon() {  # NOW by the boot clock, to some hundredths of a second: it takes no process to read it
  uptime
  NOW=$((UP + OFFSET))
}
seconds() {  # TEXT: milliseconds as sleep takes them
  TEXT=$(($1 % 1000 + 1000))
  TEXT=$(($1 / 1000)).${TEXT#1}
}
pause() {
  seconds "$1"
  sleep "$TEXT" 2>/dev/null || sleep 1
}
take() {  # MARK TEXT: true if this job has made the mark; `tidy` is for afterwards
  printf '%s\n' "$2" >"run/.$1.$SELF" || return 1
  ln "run/.$1.$SELF" "run/$1" 2>/dev/null
  GOT=''
  read -r GOT 2>/dev/null <"run/$1"
  [ "$GOT" = "$2" ]
}
tidy() {
  rm -f "run/.owner.$SELF" "run/.started.$SELF" "run/.go.$SELF"
}
nap() {  # a pause that a signal ends
  seconds "$1"
  sleep "$TEXT" 2>/dev/null 3>&- &
  wait "$!"
  case $? in
    0) ;;
    1) sleep 1 ;;
    *) kill -s KILL "$!" 2>/dev/null ;;
  esac
}
disarm() {  # by its number, too, as it may not lead its group yet
  [ -n "$ticker" ] && kill -s KILL -- "-$ticker" "$ticker" 2>/dev/null
}
arm() {  # wakes the wait at this time of the boot clock; nobody, if this shell has ended before
  disarm
  armed=$1
  uptime
  left=$(($1 - UP))
  [ "$left" -lt 1 ] && left=1
  seconds "$left"
  setsid sh -c 'sleep "$1"
    read -r own name state parent rest </proc/$$/stat
    [ "$parent" = "$2" ] && kill -s USR1 "$2"' muster-tick "$TEXT" "$$" >/dev/null 2>&1 3>&- &
  ticker=$!
}
hatch() {  # makes the child that becomes the command when it reads a line; it ends with this shell
  mkfifo "run/.go.$SELF" 2>/dev/null && [ -p "run/.go.$SELF" ] || return
  command exec 3<>"run/.go.$SELF" || return
  # Opened to read only, it is at its end once this shell, which alone writes to it, has ended. A
  # signal to all of the job, which does not end this shell, does not end who waits.
  # Its variables have names that no command's have.
  setsid sh -c 'trap "muster_again=1" USR1
    exec 4</proc/self/fd/3 3>&-
    ready() {
      until read -r muster_go <&4; do
        [ -n "$muster_again" ] || exit 120
        muster_again=""
      done
      exec 4<&-
    }
    . ./command' muster-part "$SELF" 3<&3 </dev/null &
  child=$!
}
go() {
  if [ -n "$child" ]; then
    echo go >&3
    exec 3>&-
  else
    setsid sh -c 'ready() { :; }
      . ./command' muster-part </dev/null &
    child=$!
  fi
}
leave() {  # before it starts
  [ -n "$child" ] && kill -s KILL "$child" 2>/dev/null
  disarm
  tidy
  exit "$1"
}
record() {  # CODE STARTED ELAPSED
  now
  printf 'by=%s\ncode=%s\nstarted_ms=%s\nended_ms=%s\nelapsed_ms=%s\nover=\n' \
    "${by:-exit}" "$1" "$2" "$NOW" "$3" >"run/.exit.$SELF" && mv -f "run/.exit.$SELF" run/exit
}

# --- takes the token
[ -e run/started ] && exit 122
read -r BOOT </proc/sys/kernel/random/boot_id
SELF=$SLURM_JOB_ID.${SLURM_RESTART_COUNT:-0}.${SLURMD_NODENAME:-node}.$$
take owner "job=$SLURM_JOB_ID restart=${SLURM_RESTART_COUNT:-0} node=$SLURMD_NODENAME \
boot=$BOOT pid=$$" || leave 122

# --- waits for its second. Told to end meanwhile it leaves the token as it is: the driver knows
# whether somebody has ended the job, or whether Slurm had lost it and another one comes. In its
# second, when other parts start, too, it makes no process: a child waits for a word to become the
# command, and the token is taken a moment before. Few processes are made when it has just come, as
# Slurm brings many jobs at a time, nor are they made in the second of those that start before it.
clock
while left=$((NOT_BEFORE - NOW)) && [ "$left" -gt 350 ]; do
  [ -n "$term" ] && leave 123
  [ -e run/started ] && leave 122
  if [ "$left" -gt 800 ]; then
    [ "$left" -gt 3700 ] && left=3700
    nap $((left - 700))
    clock
  elif [ -z "$ticker" ]; then
    first=$BEAT
    [ "$WALLTIME" -lt "$first" ] && first=$WALLTIME
    arm $((UP + left + first))
    hatch
    clock
  else
    nap $((left - 300))
    soon
  fi
done
[ -n "$term" ] && leave 123
if [ "$NOW" -gt "$NOT_AFTER" ]; then
  take started "never late job=$SLURM_JOB_ID"
  leave 121
fi
# Somebody may have killed the child alone. Then the command begins without it.
[ -n "$child" ] && ! kill -s 0 "$child" 2>/dev/null && exec 3>&- && child=''
at=$NOW
[ "$at" -lt "$NOT_BEFORE" ] && at=$NOT_BEFORE
take started "at=$at job=$SLURM_JOB_ID" || leave 122
soon
while [ "$NOW" -lt "$NOT_BEFORE" ]; do
  clock
  left=$((NOT_BEFORE - NOW))
  [ "$left" -gt 0 ] && pause "$left"
  soon
  # It has slept until its second by the wall clock; the boot clock is read in hundredths.
  [ "$NOW" -lt "$NOT_BEFORE" ] && [ $((NOW + 50)) -gt "$NOT_BEFORE" ] && NOW=$NOT_BEFORE
done

# --- runs
STARTED=$NOW BEGAN=$UP noticed=0 kill_at=0
if [ "$NOW" -gt "$NOT_AFTER" ]; then  # its node stood still meanwhile
  echo "muster: not begun, as its last start has passed" >>err
  record 121 "$NOW" 0
  leave 121
fi
if [ -n "$term" ]; then  # it has heard of it in this moment
  by=term
  [ -e stop ] && by=release
  record 143 "$NOW" 0
  leave 143
fi
go

finish() {  # BY GRACE
  by=$1
  kill -s TERM -- "-$child" 2>/dev/null
  uptime
  kill_at=$((UP + $2))
}
notice() {  # gives it; MUSTER_ENDS_BY is the end that is known now
  noticed=$WALLTIME
  [ -n "$NOTICE_SIGNAL" ] && kill -s "$NOTICE_SIGNAL" -- "-$child" 2>/dev/null
  [ -e notice ] || return
  now
  ENDS=$(date -u -d "@$(((NOW + BEGAN + WALLTIME - UP) / 1000))" +%Y-%m-%dT%H:%M:%SZ)
  MUSTER_ENDS_BY=$ENDS setsid sh ./notice >>out 2>>err </dev/null &
}
answer() {  # to a driver whose cluster does not know of this job any more
  asked=''
  [ -e spec ] && while IFS= read -r line; do
    case $line in ASK=*) asked=${line#ASK=} ;; esac
  done <spec
  [ -z "$asked" ] || [ "$asked" = "$answered" ] && return
  printf 'asked=%s\n' "$asked" >"run/.here.$SELF" && mv -f "run/.here.$SELF" run/here &&
    answered=$asked
}
look() {  # does what is due, and sets NEXT
  answer
  [ -e stop ] && term=1
  uptime
  if [ -z "$by" ] && [ -n "$term" ]; then
    grace=''
    read -r grace 2>/dev/null <stop
    if [ -n "$grace" ]; then finish release "$grace"; else finish term "$STOP_GRACE"; fi
  elif [ -z "$by" ]; then
    limit=''
    read -r limit 2>/dev/null <walltime
    [ "${limit:-0}" -gt "$WALLTIME" ] && WALLTIME=$limit
    if [ "$UP" -ge $((BEGAN + WALLTIME)) ]; then
      : >run/ending
      finish walltime "$WALLTIME_GRACE"
    elif [ "$NOTICE" -gt 0 ] && [ "$NOTICE" -lt "$WALLTIME" ] && [ "$noticed" -ne "$WALLTIME" ] &&
      [ "$UP" -ge $((BEGAN + WALLTIME - NOTICE)) ]; then
      notice
    fi
  elif [ "$UP" -ge "$kill_at" ]; then
    kill -s KILL -- "-$child" 2>/dev/null
    kill_at=$((UP + 200))
  fi
  NEXT=$((BEGAN + WALLTIME))
  [ "$NOTICE" -gt 0 ] && [ "$NOTICE" -lt "$WALLTIME" ] && [ "$noticed" -ne "$WALLTIME" ] &&
    NEXT=$((NEXT - NOTICE))
  [ -n "$by" ] && NEXT=$kill_at
  beat=$BEAT
  [ -n "$answered" ] && beat=1000
  [ "$NEXT" -gt $((UP + beat)) ] && NEXT=$((UP + beat))
}

# A signal ends the wait before the command has ended: then the command can still be signalled.
# `wait` may have said how it ended all the same; asked again, it says so again, or 127.
look
[ -n "$ticker" ] && [ "$armed" -le "$NEXT" ] || arm "$NEXT"
while :; do
  woke=''
  wait "$child"
  code=$?
  [ -z "$woke" ] && break
  if kill -0 "$child" 2>/dev/null; then
    look
    arm "$NEXT"
    continue
  fi
  wait "$child"
  again=$?
  [ "$again" -eq 127 ] || code=$again
  break
done
disarm
# Slurm ends a job by TERM to all of it: the command may have ended before this shell heard it.
[ "$code" -eq 143 ] && [ -z "$by$term" ] && pause 200
[ -n "$term" ] && [ -z "$by" ] && by=term

# --- what the command has left behind
# Dead processes count, too, until the machine's first process has taken note of them: so not for
# ever.
uptime
LASTED=$((UP - BEGAN)) left=$STRAGGLER_GRACE
while kill -s 0 -- "-$child" 2>/dev/null; do
  [ "$left" -eq "$STRAGGLER_GRACE" ] && kill -s TERM -- "-$child" 2>/dev/null
  if [ "$left" -le 0 ]; then
    kill -s KILL -- "-$child" 2>/dev/null
    break
  fi
  pause 100
  left=$((left - 100))
done
tidy
times >run/times
record "$code" "$STARTED" "$LASTED"
exit "$code"
