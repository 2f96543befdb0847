PORT ?= 8000

.PHONY: run test

run:
	@python3 -m casino.local run --port $(PORT)

test:
	@python3 -m casino.local test
