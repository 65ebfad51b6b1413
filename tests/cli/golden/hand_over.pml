/* Made by `cml export --promela hand_over.cml`.

   Run it:
     spin -o2 -a hand_over.pml
     gcc -O2 -DSAFETY -DNOREDUCE -o pan pan.c
     ./pan -c0 -m1000000      # all errors; without -c0, only the first
     spin -t -p hand_over.pml   # the path to the first
   Read it:
     invalid end state        a deadlock: nobody can move, and somebody has not ended
     assertion violated NAME  the violation that NAME is declared for below; its thread
                              has stopped, and the others go on
     assertion violated x < N a limit: what is found behind it is worth nothing
     states, stored           as many as the full search counts: `cml check --all
                              --granularity access --reduction none`
   Without -o2 and -DNOREDUCE it looks at fewer states and says the same.

   Each process is a thread. Each option of its loop is one transition: `at` is the
   location (as in `cml ir`), the rest of the guard what the operation blocks on.
   The comment before it is the line of the model, and what stands there.
   Not in here: the lock discipline, guards and initialisation, partial deadlocks,
   divergence, cover labels. */

#define ENDED 0     /* values of `at` where a thread never moves again */
#define STOPPED 1   /* by a violation */
#define ASSUMED 2   /* by a false `assume` */
#define DIVERGED 3

typedef Lock { byte owner; byte depth; }  /* owner: 0, or the thread's number + 1 */
#define me (_pid + 1)
#define free(l) (l.owner == 0)
#define mine(l) (l.owner == me)
#define available(l) (l.owner == 0 || l.owner == me)
inline acquire(l) {
   assert(l.depth < 255);
   l.owner = me;
   l.depth = l.depth + 1;
}
inline release(l) {
   assert(l.owner == me);
   l.depth = l.depth - 1;
   l.owner = (l.depth == 0 -> 0 : l.owner);
}
inline release_all(l) {
   assert(l.owner == me);
   l.owner = 0;
   l.depth = 0;
}

Lock m;
byte turn = 0;
bool ready = 0;
typedef Channel_box {
   byte size;
   byte item[2];
}
Channel_box box;
inline drop_box(channel_) {
   channel_.item[0] = channel_.item[1];
   channel_.item[1] = 0;
   channel_.size = channel_.size - 1;
}
byte running = 2;  /* threads that have not ended, daemons aside */

#define NOTIFIED 255
byte waits_for[2];  /* by thread: the wait set (from 1) in which it is */
byte depth_of[2];  /* and how deep it held it */

/* Violations: always 0, so that asserting one tells its name. */
hidden byte assertion_at_25_26;  /* 25: assert v == 1, "the wrong one"; */
hidden byte assertion_at_31_3;  /* 31: assert turn == N; */
hidden byte assertion_at_9_18;  /* 9: turn < 2 */
hidden byte range_at_13_5;  /* 13: turn = turn + N; */
hidden byte semaphore_max_at_17_3;  /* 17: ready.up() */


/* invariant: called where something that it reads has changed */
inline check_small() {
   if
   :: turn < 2 ->
      skip;
   :: else ->
      assert(assertion_at_9_18);
   fi;
}

inline forget_Giver() {
   tmp0 = 0;
}

/* thread Giver */
active proctype Giver() {
   byte at = 4;
   byte tmp0 = 0;

   do
   /* 12: m */
   :: d_step { at == 4 && available(m) ->
        acquire(m);
        at = 5;
      }
   /* 13: turn */
   :: d_step { at == 5 ->
        tmp0 = turn;
        if
        :: tmp0 + 1 > 2 ->
           assert(range_at_13_5);
           at = STOPPED;
           forget_Giver();
        :: else ->
           tmp0 = tmp0 + 1;
           at = 6;
        fi;
      }
   /* 13: turn = turn + N; */
   :: d_step { at == 6 ->
        turn = tmp0;
        check_small();
        tmp0 = 0;
        at = 7;
      }
   /* 14: m.notifyAll() */
   :: d_step { at == 7 ->
        if
        :: waits_for[1] == 1 ->
           waits_for[1] = NOTIFIED;
        :: else ->
           skip;
        fi;
        at = 8;
      }
   /* 12: m */
   :: d_step { at == 8 ->
        release(m);
        at = 9;
      }
   /* 16: choose(1..2) */
   :: atomic { at == 9 ->
        if
        :: tmp0 = 1;
        :: tmp0 = 2;
        fi;
        d_step {
           at = 10;
        }
      }
   /* 16: box.send(choose(1..2)) */
   :: d_step { at == 10 && box.size < 2 ->
        box.item[box.size] = tmp0;
        box.size = box.size + 1;
        tmp0 = 0;
        at = 11;
      }
   /* 17: ready.up() */
   :: d_step { at == 11 ->
        if
        :: ready == 1 ->
           assert(semaphore_max_at_17_3);
           at = STOPPED;
           forget_Giver();
        :: else ->
           ready = ready + 1;
           at = ENDED;
           forget_Giver();
           running = running - 1;
        fi;
      }
   :: at == STOPPED
   od
}

inline forget_Taker() {
   tmp0 = 0;
   v = 0;
}

/* thread Taker */
active proctype Taker() {
   byte at = 4;
   byte tmp0 = 0;
   int v = 0;

   do
   /* 21: m */
   :: d_step { at == 4 && available(m) ->
        acquire(m);
        at = 5;
      }
   /* 22: turn */
   :: d_step { at == 5 ->
        tmp0 = turn;
        if
        :: 0 < tmp0 ->
           tmp0 = 0;
           at = 8;
        :: else ->
           tmp0 = 0;
           at = 6;
        fi;
      }
   /* 22: m.wait() until turn > 0; */
   :: d_step { at == 6 ->
        waits_for[1] = 1;
        depth_of[1] = m.depth;
        release_all(m);
        at = 7;
      }
   /* 22: m.wait() until turn > 0; */
   :: d_step { at == 7 && waits_for[1] == NOTIFIED && free(m) ->
        m.owner = me;
        m.depth = depth_of[1];
        waits_for[1] = 0;
        depth_of[1] = 0;
        at = 5;
      }
   /* 21: m */
   :: d_step { at == 8 ->
        release(m);
        at = 9;
      }
   /* 24: select { */
   :: d_step { at == 9 && box.size > 0 ->
        v = box.item[0];
        drop_box(box);
        if
        :: !(v == 1) ->
           assert(assertion_at_25_26);
           at = STOPPED;
           forget_Taker();
        :: else ->
           v = 0;
           at = ENDED;
           forget_Taker();
           running = running - 1;
        fi;
      }
   :: d_step { at == 9 && ready > 0 ->
        ready = ready - 1;
        at = ENDED;
        forget_Taker();
        running = running - 1;
      }
   :: at == STOPPED
   od
}

/* When all threads have ended: turning in place keeps SPIN from calling it an invalid end state. */
active proctype watch() {
   do
   :: d_step { running == 0 ->
        if
        :: turn == 1 ->
           skip;
        :: else ->
           assert(assertion_at_31_3);
        fi;
      }
   od
}
