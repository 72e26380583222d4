"""Serve an encoder from an asyncio program.

`mx.eval` in a coroutine blocks the thread of the event loop until the device is done: no other coroutine runs, however
short. Here a heartbeat that should come every 10 ms is late by the whole time of a request.
"""

import asyncio
import time

import mlx.core as mx

SIZE, REQUESTS = 448, 5


async def encode(request: mx.array, weights: mx.array) -> mx.array:
    """Return the encoding of one request."""
    encoded = mx.maximum(request @ weights, 0) @ weights
    mx.eval(encoded)  # <- PL204
    return encoded


async def heartbeat(gaps: list[float]) -> None:
    """Note how long it really took from beat to beat."""
    while True:
        start = time.monotonic()
        await asyncio.sleep(0.01)
        gaps.append(time.monotonic() - start)


async def serve() -> None:
    """Answer all requests and print the longest gap between two beats."""
    mx.random.seed(16)
    weights = mx.random.normal((SIZE, SIZE)) / SIZE**0.5
    requests = [mx.random.normal((SIZE, SIZE)) for _ in range(REQUESTS)]
    mx.eval(weights, requests)
    gaps: list[float] = []
    beat = asyncio.create_task(heartbeat(gaps))
    total = 0.0
    for request in requests:
        await asyncio.sleep(0.02)
        total += memoryview(await encode(request, weights))[0, 0]
    beat.cancel()
    print(f"longest gap {max(gaps) * 1e3:.0f} ms")
    print(f"result: {total:.4f}")


if __name__ == "__main__":
    asyncio.run(serve())
