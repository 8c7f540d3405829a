"""wgpu-py's thread asks a device, and is taught to only once."""

from __future__ import annotations

from types import SimpleNamespace

from engine.compute.backends.wgpu.polling import EAGER, poll_instead_of_wait


def test_a_device_is_asked_and_never_waited_for_however_often_a_composer_is_made():
    asked: list[bool] = []
    device = SimpleNamespace(_poller=SimpleNamespace(_poll_func=asked.append))
    poll_instead_of_wait(device)
    ask = device._poller._poll_func
    poll_instead_of_wait(device)
    assert device._poller._poll_func is ask
    for block in (False, *[True] * (EAGER + 2), False):
        ask(block)
    assert asked == [False] * (EAGER + 4)


def test_a_wgpu_without_such_a_thread_stays_as_it_is():
    poll_instead_of_wait(SimpleNamespace())
    device = SimpleNamespace(_poller=SimpleNamespace())
    poll_instead_of_wait(device)
    assert vars(device._poller) == {}
