"""OpenSpiel's blackjack, driven from Python by its documented loop: `openspiel.py <seconds>` prints rounds a second."""

import random
import sys
import time

import pyspiel

SECONDS = float(sys.argv[1])
CHUNK = 100

game = pyspiel.load_game("blackjack")


def play() -> None:
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            actions, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(random.choices(actions, chances)[0])
        else:
            state.apply_action(random.choice(state.legal_actions()))


began = time.perf_counter()
count = 0
while (lasted := time.perf_counter() - began) < SECONDS:
    for _ in range(CHUNK):
        play()
    count += CHUNK
print(count / lasted)
