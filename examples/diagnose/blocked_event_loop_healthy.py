"""Serve an encoder from an asyncio program.

The sick twin waits for the device in a coroutine, and nothing else runs on the event loop meanwhile.
The cure is to submit the work there with `mx.async_eval` and to wait for it in a thread: `await asyncio.to_thread`.
"""

import asyncio
import time

import mlx.core as mx

SIZE, REQUESTS = 448, 5


async def encode(request: mx.array, weights: mx.array) -> mx.array:
    """Return the encoding of one request."""
    encoded = mx.maximum(request @ weights, 0) @ weights
    mx.async_eval(encoded)
    await asyncio.to_thread(mx.eval, encoded)
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
