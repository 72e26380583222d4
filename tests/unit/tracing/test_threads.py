"""What is known of a thread, learned without the program noticing."""

from __future__ import annotations

import _thread
import threading

from placement_cli.tracing.threads import Build, Local, thread_name


def test_asking_for_a_name_makes_none_up() -> None:
    """A thread that Python's list does not hold is not put on it."""
    told: list[str] = []
    done = _thread.allocate_lock()
    done.acquire()

    def run() -> None:
        told.append(thread_name(threading.get_ident()))
        done.release()

    before = threading.enumerate()
    _thread.start_new_thread(run, ())
    done.acquire()
    assert told[0].startswith("thread ")
    assert threading.enumerate() == before


def test_each_thread_has_a_state_of_its_own() -> None:
    """Made when it is first asked for, under the name of the thread."""
    made: list[tuple[str, int]] = []

    def make(name: str, ident: int) -> tuple[str, int]:
        made.append((name, ident))
        return made[-1]

    local = Local(make)
    thread = threading.Thread(target=lambda: (local.state, local.state), name="worker")
    thread.start()
    thread.join()
    assert [name for name, _ in made] == [threading.current_thread().name, "worker"]
    assert local.state == made[0]


def test_a_build_knows_whether_it_is_an_estimate() -> None:
    """One operation in many stands for all of them."""
    build = Build()
    build.add("add", 1)
    assert (build.ops, build.sampled) == (1, False)
    build.add("multiply", 32)
    assert (build.ops, build.sampled, build.names) == (33, True, {"add": 1, "multiply": 32})
