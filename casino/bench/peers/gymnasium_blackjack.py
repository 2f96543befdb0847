"""Gymnasium's Blackjack-v1, sticking on 17: `gymnasium_blackjack.py <seconds>` prints rounds a second."""

import sys
import time

import gymnasium

SECONDS = float(sys.argv[1])
CHUNK = 100

environment = gymnasium.make("Blackjack-v1")


def play() -> None:
    (total, _, _), _ = environment.reset()
    is_over = False
    while not is_over:
        (total, _, _), _, is_over, _, _ = environment.step(int(total < 17))


began = time.perf_counter()
count = 0
while (lasted := time.perf_counter() - began) < SECONDS:
    for _ in range(CHUNK):
        play()
    count += CHUNK
print(count / lasted)
