/** The baccarat table: bets are laid here, dealt and settled by the server, and shown here. */

import { balanceShow } from "/static/portal/js/balance.js";
import { BetBoard } from "/static/portal/js/bet-board.js";
import { betPost, Refusal, unanswered } from "/static/portal/js/bet-post.js";
import { cardElement, cardName } from "/static/portal/js/cards.js";
import { chipsFor, chipTray } from "/static/portal/js/chips.js";
import { plain, shown, unitsOf } from "/static/portal/js/money.js";
import { beat, slide } from "/static/portal/js/motion.js";
import { watch } from "/static/portal/js/player-watch.js";
import { roadsShow } from "/static/portal/js/roads-view.js";
import { outcome, score } from "./score.js";
import * as sound from "/static/portal/js/sound.js";
import { clientSeedPropose, dismissListen, identityHeaders, pageData, say, sentence, switchShow, toneOf, verdict } from "/static/portal/js/table.js";

const WINNERS = { p: "Player", b: "Banker", t: "Tie" };
const RESULTS = { 1: "won", 2: "lost", 3: "drawn" };
const DEAL_ORDER = [["player", 0], ["banker", 0], ["player", 1], ["banker", 1], ["player", 2], ["banker", 2]];
const START = "Choose a chip, then a spot to lay it on.";
const CARD_MS = 430;
const ROAD_ROUNDS = 72;
const $ = (id) => document.getElementById(id);

class Table {
  last = [];
  isDealing = false;
  hasResult = false;
  shownId = ""; // the deal that lies on the felt, or was taken off it

  constructor(form, data) {
    this.form = form;
    this.data = data;
    this.deals = data.road;
    this.spots = [...form.querySelectorAll(".spot")];
    this.money = { decimals: data.decimals, currency: data.currency };
    this.tray = chipTray($("chips"), { minimum: this.units(data.betMin), maximum: this.units(data.betMax), ...this.money });
    this.board = new BetBoard({
      spots: this.spots, tray: this.tray, ...this.money, changed: () => this.buttonsShow(), beforeLay: () => this.resultClear(),
    });
    $("rebet").addEventListener("click", () => this.rebet());
    switchShow($("sound"), sound.isOn, sound.setOn);
    dismissListen(form.querySelector(".felt"), ({ isOnFelt }) => this.dismiss(isOnFelt));
    watch.addEventListener("state", ({ detail }) => this.follow(detail));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!$("deal").disabled) this.play({ body: this.body() });
    });
  }

  async open() {
    roadsShow(this.deals.map(outcome), WINNERS);
    this.board.show();
    const earlier = unanswered();
    if (earlier) watch.hold(); // its answer is dealt, not laid out
    else this.lastShow(this.data.last);
    await clientSeedPropose(this.form, this.data);
    if (earlier) this.play({ earlier });
  }

  units(text) {
    return unitsOf(text, this.money.decimals);
  }

  amount(units) {
    return `${shown(units, this.money.decimals)} ${this.money.currency}`;
  }

  buttonsShow() {
    const isLaid = Boolean(this.board?.total);
    $("deal").disabled = this.isDealing || !isLaid;
    $("rebet").disabled = this.isDealing || isLaid || !this.last.length;
  }

  rebet() {
    this.resultClear();
    this.board.lay(this.last);
    $("deal").focus({ preventScroll: true });
  }

  /** The bets as JSON with exact numbers, which no float has touched. */
  body() {
    const bets = [...this.board.stakes].map(
      ([name, units]) => `{"game_type":${name},"bet_amount":${plain(units, this.money.decimals)}}`,
    );
    return `{"currency":${JSON.stringify(this.money.currency)},"bets":[${bets.join(",")}]}`;
  }

  async play({ body = "", earlier = null }) {
    watch.hold();
    this.isDealing = true;
    this.board.lock(true);
    $("problem").textContent = "";
    verdict(earlier ? "Looking for your last bet ..." : "No more bets.");
    const headers = identityHeaders(this.form, this.data);
    try {
      const answer = await betPost(this.form.dataset.betUrl, headers, { body, earlier, onRetry: retryShow });
      await this.dealShow(answer);
      this.board.lay([]);
      balanceShow(answer.balance);
      this.deals = [...this.deals, { player: answer.player, banker: answer.banker }].slice(-ROAD_ROUNDS);
      roadsShow(this.deals.map(outcome), WINNERS);
      this.settleShow(answer);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.refused(error);
    }
    this.isDealing = false;
    this.board.lock(false);
    this.spotsSettle();
    this.form.querySelector(".spots").scrollIntoView({ block: "nearest" });
    watch.release();
    if (this.hasResult && this.last.length) $("rebet").focus({ preventScroll: true });
  }

  /** Lay out the last deal at once: the page was loaded while it was dealt, or another window played it. */
  lastShow(answer) {
    if (!answer || answer.round_id === this.shownId) return;
    this.resultClear();
    this.hasResult = true;
    for (const side of ["player", "banker"]) {
      $(`${side}-hand`).replaceChildren(...answer[side].map(cardElement));
      $(`${side}-score`).textContent = score(answer[side]);
    }
    this.settleShow(answer);
    this.spotsSettle();
  }

  async dealShow(answer) {
    this.resultClear();
    this.hasResult = true;
    $("sides").scrollIntoView({ block: "nearest" });
    for (const [side, index] of DEAL_ORDER) {
      const code = answer[side][index];
      if (!code) continue;
      const card = cardElement(code);
      card.classList.add("dealt");
      const hand = $(`${side}-hand`);
      slide([...hand.children], () => hand.append(card));
      sound.cardSound();
      await beat(CARD_MS);
      $(`${side}-score`).textContent = score(answer[side].slice(0, index + 1));
    }
  }

  settleShow(answer) {
    const { winner } = outcome(answer);
    const [player, banker] = [score(answer.player), score(answer.banker)];
    this.shownId = answer.round_id;
    if (winner !== "t") $(winner === "p" ? "player-side" : "banker-side").classList.add("winner");
    this.settled = answer.bets.map((bet) => ({
      name: String(bet.game_type), result: RESULTS[bet.result_type], stake: this.units(bet.bet_amount), reward: this.units(bet.reward_amount),
    }));
    const staked = this.settled.reduce((sum, { stake }) => sum + stake, 0n);
    const back = this.settled.reduce((sum, { reward }) => sum + reward, 0n);
    this.last = this.settled.flatMap(({ name, stake }) => chipsFor(stake, this.tray.values).map((units) => ({ name, units })));
    this.buttonsShow();
    const scores = `${Math.max(player, banker)} to ${Math.min(player, banker)}`;
    const title = `${winner === "t" ? "Tie" : `${WINNERS[winner]} wins`}, ${scores}. ${this.moneyWords(staked, back)}`;
    const note = `Staked ${this.amount(staked)}, came back ${this.amount(back)}.`;
    verdict(title, { tone: toneOf(staked, back), note });
    const cards = (codes) => codes.map(cardName).join(", ");
    say(`Player: ${cards(answer.player)}. Banker: ${cards(answer.banker)}. ${title} ${note}`);
  }

  moneyWords(staked, back) {
    if (back > staked) return `You win ${this.amount(back - staked)}.`;
    return back < staked ? `You lose ${this.amount(staked - back)}.` : "Your stake comes back.";
  }

  spotsSettle() {
    for (const { name, result, stake, reward } of this.hasResult ? this.settled : []) {
      const spot = this.spots.find((found) => found.dataset.spot === name);
      if (!spot) continue;
      this.board.spotShow(spot, stake);
      spot.classList.add(result);
      const words = { won: `+${shown(reward - stake, this.money.decimals)}`, lost: "Lost", drawn: "Push" };
      spot.querySelector(".spot-result").textContent = words[result];
    }
  }

  resultClear() {
    if (!this.hasResult) return;
    this.hasResult = false;
    for (const spot of this.spots) {
      spot.classList.remove("won", "lost", "drawn");
      spot.querySelector(".spot-result").textContent = "";
    }
    this.board.show();
    for (const side of ["player", "banker"]) {
      $(`${side}-hand`).replaceChildren();
      $(`${side}-score`).textContent = "";
      $(`${side}-side`).classList.remove("winner");
    }
    $("problem").textContent = "";
    verdict(START);
  }

  refused(error) {
    verdict("Nothing was bet.");
    $("problem").textContent = sentence(error.message);
    if (error.status === 401) {
      const link = document.createElement("a");
      link.href = this.form.dataset.loginUrl;
      link.textContent = "Log in again";
      $("problem").append(" ", link);
    }
  }

  /** Show limits, odds and last rounds as the server has them; a deal of another window, unless chips lie on the felt. */
  follow(state) {
    if (state.limits) $("limits").textContent = `Limits a bet: ${state.limits} ${this.money.currency}`;
    for (const { gameType, odds } of state.bets) {
      const spot = this.spots.find((found) => found.dataset.spot === String(gameType));
      if (spot) spot.querySelector(".spot-odds").textContent = `${odds} to 1`;
    }
    if (JSON.stringify(state.road) !== JSON.stringify(this.deals)) {
      this.deals = state.road;
      roadsShow(this.deals.map(outcome), WINNERS);
    }
    if (!this.isDealing && !this.board.total) this.lastShow(state.last);
  }

  dismiss(isOnFelt) {
    if (this.isDealing) return;
    if (this.hasResult) this.resultClear();
    else if (!isOnFelt) this.board.lay([]);
  }
}

function retryShow(status) {
  verdict(status ? "The table is busy. Asking again ..." : "The line is down. Asking again ...", {
    note: "Your bet is placed once, however often we ask.",
  });
}

const form = $("table");
if (form) new Table(form, pageData()).open();
