// npm engine-blackjack, standing on 17: `node engine_blackjack.mjs <folder with node_modules> <decks> <seconds>` prints rounds a second.
import { createRequire } from "node:module";

const [, , folder, decks, seconds] = process.argv;
const { Game, actions, presets } = createRequire(folder + "/")("engine-blackjack");

function play() {
  const game = new Game(undefined, presets.getRules({ decks: Number(decks) }));
  game.dispatch(actions.deal({ bet: 10 }));
  for (let state = game.getState(); state.stage !== "done"; state = game.getState()) {
    if (state.stage === "player-turn-right" || state.stage === "player-turn-left") {
      const position = state.stage === "player-turn-right" ? "right" : "left";
      const { playerValue, availableActions } = state.handInfo[position];
      if (availableActions.insurance && !availableActions.stand) game.dispatch(actions.insurance({ bet: 0 }));
      else game.dispatch(playerValue.hi < 17 ? actions.hit({ position }) : actions.stand({ position }));
    } else {
      throw new Error(state.stage);
    }
  }
}

const began = performance.now();
let count = 0;
let lasted = 0;
while (lasted < seconds) {
  for (let i = 0; i < 100; i += 1) play();
  count += 100;
  lasted = (performance.now() - began) / 1000;
}
console.log(count / lasted);
