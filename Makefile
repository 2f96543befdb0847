PORT ?= 8000

.PHONY: run test soak bench attack messages

run:
	@python3 -m casino.local run --port $(PORT)

test:
	@python3 -m casino.local test

soak:
	@PUNTO_LONG=1 python3 -m casino.local test $(SOAK)

bench:
	@python3 -m casino.local bench $(BENCH)

attack:
	@python3 -m casino.local attack $(ATTACK)

messages:
	@python3 -m casino.local messages $(MESSAGES)
