/** The blackjack table. Rules, cards and money are the server's; here is what is laid, asked and shown. */

import { balanceShow } from "/static/portal/js/balance.js";
import { BetBoard } from "/static/portal/js/bet-board.js";
import { Felt } from "./felt.js";
import { lineShow } from "/static/portal/js/connection.js";
import { Moves } from "./moves.js";
import { outcomeOf, outcomeTitle, sideTags } from "./outcome.js";
import { applyUpdate, isSame, roundOf, totalWords } from "./round.js";
import { cardName } from "/static/portal/js/cards.js";
import { chipsFor, chipTray } from "/static/portal/js/chips.js";
import { GameSocket } from "/static/portal/js/game-socket.js";
import { grouped, plain, shown, unitsOf } from "/static/portal/js/money.js";
import { beat, wait } from "/static/portal/js/motion.js";
import { watch } from "/static/portal/js/player-watch.js";
import * as sound from "/static/portal/js/sound.js";
import { clientSeedPropose, dismissListen, pageData, say, sentence, switchShow, toneOf, verdict } from "/static/portal/js/table.js";

const DEALER_BEAT_MS = 600;
const DEALER_LEFT_MS = 4000; // after which another window that played the dealer's cards has gone
const WIRE_BETS = { main: "betAmount", perfectPairs: "perfecPairsBetAmount", poker: "pokerBetAmount" };
const START = "Choose a chip, then a spot to lay it on.";
const $ = (id) => document.getElementById(id);

class Table {
  round = null;
  last = [];
  isBusy = false;
  line = "down";
  clearedId = "";
  isOwn = true; // whether the round's last change came from this window, which then plays the dealer's cards
  isAnswered = false; // whether an action of this window was answered whose outcome is to be read

  constructor(form, data) {
    this.form = form;
    this.data = data;
    this.money = { decimals: data.decimals, currency: data.currency };
    this.felt = new Felt({ dealer: $("dealer-hand"), dealerTotal: $("dealer-total"), hands: $("hands") }, { hasHole: data.rules.dealer_peek, decimals: data.decimals });
    this.tray = chipTray($("chips"), { minimum: this.units(data.betMin), maximum: this.units(data.betMax), ...this.money });
    this.board = new BetBoard({ spots: [...form.querySelectorAll(".spot")], tray: this.tray, ...this.money, changed: () => this.buttonsShow() });
    this.moves = new Moves({
      ...this.money, insuranceRule: () => this.data.rules.insurance,
      send: (action, members) => this.send(action, members), problem: (text) => this.problem(text),
    });
    this.socket = new GameSocket({ url: data.socketUrl, sessionFind: (isRefused) => this.sessionFind(isRefused) });
    this.listen();
  }

  async open() {
    this.board.show();
    verdict(START);
    this.follow(this.data.round, { isLoaded: true });
    if (this.socket.pending) this.busy(); // it is sent again, and then the round is read again
    await clientSeedPropose(this.form, this.data);
    this.socket.start();
  }

  units(text) {
    return unitsOf(text, this.money.decimals);
  }

  amount(units) {
    return `${shown(units, this.money.decimals)} ${this.money.currency}`;
  }

  listen() {
    const { socket, form } = this;
    socket.addEventListener("line", ({ detail }) => this.lineTake(detail));
    socket.addEventListener("update", ({ detail }) => this.update(detail));
    socket.addEventListener("refusal", ({ detail }) => this.refused(detail));
    socket.addEventListener("config", ({ detail }) => this.termsTake({ betMin: detail.minBet, betMax: detail.maxBet, rules: detail.rules }));
    watch.addEventListener("state", ({ detail }) => {
      if (detail.isOpen) this.termsTake(detail);
      this.follow(detail.round);
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.deal();
    });
    $("again").addEventListener("click", () => this.again());
    dismissListen(form.querySelector(".felt"), ({ isOnFelt }) => this.dismiss(isOnFelt));
    switchShow($("sound"), sound.isOn, sound.setOn);
    switchShow($("keys"), keysOn, keysSet);
    document.addEventListener("keydown", (event) => this.key(event));
  }

  async sessionFind(isRefused) {
    if (this.data.token) return isRefused ? null : this.data.token;
    const body = new FormData(this.form);
    const response = await fetch(this.form.dataset.sessionUrl, { method: "POST", body });
    if (response.redirected || response.status === 403) return null;
    return (await response.json()).gameSessionId;
  }

  // what is laid and sent

  deal() {
    const stakes = this.board.stakes;
    if (!this.mayBet || !this.board.total) return;
    if (!stakes.has("main") && this.units(this.data.betMin) > 0n) {
      this.problem("Lay a chip on your bet first: side bets go with it.");
      return;
    }
    this.feltClear();
    const data = {};
    for (const [name, units] of stakes) data[WIRE_BETS[name]] = plain(units, this.money.decimals);
    verdict("No more bets.");
    this.form.querySelector(".dealer").scrollIntoView({ block: "nearest" });
    this.send("Bet", data);
  }

  again() {
    if (!this.mayBet || !this.last.length) return;
    this.board.lay(this.last);
    this.deal();
  }

  send(action, data) {
    this.isOwn = true;
    this.problem("");
    this.phaseShow("round");
    this.busy();
    this.socket.act(action, data);
  }

  /** Nothing may be pressed, and nothing that was read is shown, until the table is `ready` again. */
  busy() {
    watch.hold();
    this.isBusy = true;
    this.board.lock(true);
    this.actionsShow();
  }

  ready({ focus = false } = {}) {
    if (this.socket.pending) return;
    this.isBusy = false;
    this.board.lock(this.isOpen);
    this.actionsShow({ focus });
    watch.release();
  }

  // what comes back

  async update({ message, data, isRepeat }) {
    const isBet = message.action === "Bet";
    if (isBet) this.board.lay([]);
    if (isRepeat || (!isBet && this.round?.roundId !== message.roundId)) {
      this.isAnswered = true;
      this.ready();
      return;
    }
    const bets = Object.fromEntries(Object.entries(WIRE_BETS).map(([name, wire]) => [name, data[wire] ?? "0"]));
    if (this.round && data.acceptedInsurance) this.round.insuranceStake = data.insuranceAmount ?? plain(this.moves.insuranceTop(this.round), this.money.decimals);
    this.round = applyUpdate(this.round, message, bets);
    await this.show();
  }

  /** Show the round as the server has it, whichever window it was played in; `isLoaded`: the page came with it. */
  async follow(message, { isLoaded = false } = {}) {
    const found = message && roundOf(message);
    if (!found) {
      if (this.isOpen) this.roundLose();
    } else if (!isSame(found, this.round) && !(found.ended && found.roundId === this.clearedId)) {
      this.isOwn = isLoaded || this.isAnswered;
      this.isAnswered = false;
      this.problem("");
      this.round = found;
      await this.show({ isInstant: isLoaded });
    }
  }

  /** The round that lies here is none of the player's any more: it was voided, or ended long ago. */
  roundLose() {
    this.feltClear();
    verdict("This round is over.", { note: "It was finished elsewhere: your history has it." });
    this.ready();
  }

  async show({ isInstant = false } = {}) {
    const { round } = this;
    this.phaseShow("round");
    this.isBusy = true;
    this.board.lock(true);
    this.actionsShow();
    if (!round.ended && round.owner === "Dealer") verdict("The dealer plays.");
    if (!isInstant) sound.cardSound();
    const ms = this.felt.show(round, { isInstant });
    await beat(ms);
    if (this.round !== round) return; // something newer came while the cards were moving
    this.sidesShow();
    if (round.ended) this.endShow({ isLive: this.isOwn && !isInstant });
    else if (round.owner === "Dealer") await this.dealerGo(round);
    else this.moveAsk();
  }

  async dealerGo(round) {
    say(`Dealer has ${totalWords(round.dealer)}.`);
    await (this.isOwn ? beat(DEALER_BEAT_MS) : wait(DEALER_LEFT_MS));
    if (this.round === round && !this.socket.pending) this.send("Hit", {});
  }

  moveAsk() {
    const { round } = this;
    const hand = round.hands[round.handIndex];
    const name = round.hands.length > 1 ? `Hand ${round.handIndex + 1}` : "You";
    const words = `${name}: ${hand.cards.map(cardName).join(", ")}, ${totalWords(hand.cards)}. Dealer shows ${round.dealer.map(cardName).join(", ")}.`;
    verdict(round.hands.length > 1 ? `Your move on hand ${round.handIndex + 1}.` : "Your move.");
    this.ready({ focus: this.isOwn });
    say(`${words} ${this.moves.words}`);
  }

  /** Show what a finished round came to; `isLive`: this window has just played it. */
  endShow({ isLive }) {
    const { round } = this;
    const outcome = outcomeOf(round, this.money);
    if (isLive) balanceShow(round.balance);
    const title = outcomeTitle(round, outcome, (units) => this.amount(units));
    const lines = outcome.lines.map(({ text }) => text);
    const sum = lines.length > 1 ? ` In all ${this.amount(outcome.back)} back for ${this.amount(outcome.staked)}.` : "";
    const note = `${lines.join(". ")}.${sum}`;
    verdict(title, { tone: toneOf(outcome.staked, outcome.back), note });
    say(`Dealer ${totalWords(round.dealer)}. ${title} ${note}`);
    this.last = Object.entries(round.bets).flatMap(([spot, stake]) => chipsFor(this.units(stake), this.tray.values).map((units) => ({ name: spot, units })));
    this.phaseShow("result");
    this.ready();
    if (!isLive) return;
    $("spots").scrollIntoView({ block: "nearest" });
    if (this.last.length) $("again").focus({ preventScroll: true });
  }

  refused({ code, message, action }) {
    if (code !== "GAME_ROUND_NOT_FOUND") this.problem(sentence(message)); // the round that has ended is shown instead
    if (action === "Bet") verdict("Nothing was bet.");
    if (!this.round) this.phaseShow("betting");
    this.ready({ focus: true });
  }

  /** Take a finished round off the felt; what is laid for the next one stays. */
  feltClear() {
    if (!this.round) return;
    this.clearedId = this.round.roundId;
    this.round = null;
    this.felt.clear();
    this.sidesShow();
    this.phaseShow("betting");
    verdict(START);
    this.problem("");
  }

  dismiss(isOnFelt) {
    if (this.isBusy || this.isOpen) return;
    if (this.round) this.feltClear();
    else if (!isOnFelt) this.board.lay([]);
  }

  // what may be done now

  get isOpen() {
    return Boolean(this.round && !this.round.ended);
  }

  get mayBet() {
    return !this.isBusy && !this.isOpen && this.line === "up";
  }

  /** Show what there is room for: spots to lay on, cards, or both after a round. */
  phaseShow(phase) {
    this.form.dataset.phase = phase;
  }

  buttonsShow() {
    $("deal").disabled = !this.mayBet || !this.board.total;
    $("again").disabled = !this.mayBet || !this.last.length || this.board.total > 0n;
  }

  actionsShow({ focus = false } = {}) {
    $("betting").hidden = this.isOpen;
    $("acting").hidden = !this.isOpen;
    const mayMove = this.isOpen && !this.isBusy && this.round.owner === "Player";
    this.moves.show(mayMove ? this.round : null, { isUp: this.line === "up", focus });
    this.buttonsShow();
  }

  key(event) {
    if (!keysOn() || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target.matches?.("input, textarea, select")) return;
    const key = event.key.toLowerCase();
    if (key !== "b") this.moves.press(key);
    else if ($("again").checkVisibility()) $("again").click();
  }

  // what else is shown

  problem(text) {
    $("problem").textContent = text;
  }

  sidesShow() {
    const tags = this.round ? sideTags(this.round, this.money) : [];
    $("side-results").replaceChildren(...tags.map(({ text, isWon }) => {
      const tag = document.createElement("span");
      tag.className = `tag ${isWon ? "win" : "loss"}`;
      tag.textContent = text;
      return tag;
    }));
  }

  termsTake({ betMin, betMax, rules }) {
    Object.assign(this.data, { betMin, betMax });
    if (rules) this.data.rules = rules;
    $("limits").textContent = `Limits a bet: ${grouped(betMin)} to ${grouped(betMax)} ${this.money.currency}`;
  }

  lineTake(line) {
    this.line = line;
    lineShow(line, { loginUrl: this.form.dataset.loginUrl, playHere: () => this.socket.start() });
    this.actionsShow();
    if (line === "taken" || line === "over") watch.release(); // no answer comes here: the round is followed
    else if (!this.isBusy) watch.read(); // what was announced while the line was down is not known
  }
}

function keysOn() {
  return localStorage.getItem("punto-keys") !== "off";
}

function keysSet(on) {
  localStorage.setItem("punto-keys", on ? "on" : "off");
}

const form = $("table");
if (form) new Table(form, pageData()).open();
