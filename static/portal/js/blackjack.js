/** The blackjack table. Rules, cards and money are the server's; here is what is laid, asked and shown. */

import { BetBoard } from "./bet-board.js";
import { Felt } from "./blackjack-felt.js";
import { InsuranceAmount } from "./blackjack-insurance.js";
import { outcomeOf, outcomeTitle, SIDE_WORDS } from "./blackjack-outcome.js";
import { applyUpdate, handTotal, isNatural, roundOf, totalWords } from "./blackjack-round.js";
import { cardName } from "./cards.js";
import { chipTray } from "./chips.js";
import { GameSocket } from "./game-socket.js";
import { grouped, plain, shown, unitsOf } from "./money.js";
import { beat } from "./motion.js";
import * as sound from "./sound.js";
import { clientSeedPropose, pageData, say, sentence, switchShow, toneOf, verdict } from "./table.js";

const ROUND_STORE = "punto-round";
const DEALER_BEAT_MS = 600;
const MOVES = {
  Hit: { key: "h" }, Stand: { key: "s" }, Double: { key: "d", costs: true }, Split: { key: "p", costs: true }, Surrender: { key: "r" },
};
const LINE_WORDS = { up: "Connected", down: "The line is down, coming back ...", taken: "Open in another window", over: "The session is over" };
const WIRE_BETS = { main: "betAmount", perfectPairs: "perfecPairsBetAmount", poker: "pokerBetAmount" };
const $ = (id) => document.getElementById(id);

class Table {
  round = null;
  last = [];
  isBusy = false;
  line = "down";

  constructor(form, data) {
    this.form = form;
    this.data = data;
    this.money = { decimals: data.decimals, currency: data.currency };
    this.felt = new Felt({ dealer: $("dealer-hand"), dealerTotal: $("dealer-total"), hands: $("hands") }, { hasHole: data.rules.dealer_peek, decimals: data.decimals });
    const tray = chipTray($("chips"), { minimum: this.units(data.betMin), maximum: this.units(data.betMax), ...this.money });
    this.board = new BetBoard({
      spots: [...form.querySelectorAll(".spot")], tray, ...this.money,
      changed: () => this.buttonsShow(), beforeLay: () => this.feltClear(),
    });
    this.insurance = new InsuranceAmount({ input: $("insurance-amount"), limits: $("insurance-limits") }, {
      ...this.money, changed: () => this.insuranceChanged(), confirmed: () => this.insure(),
    });
    this.socket = new GameSocket({ url: data.socketUrl, sessionFind: (isRefused) => this.sessionFind(isRefused) });
    this.listen();
  }

  async open() {
    this.board.show();
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
    socket.addEventListener("line", ({ detail }) => this.lineShow(detail));
    socket.addEventListener("state", ({ detail }) => this.resume(detail));
    socket.addEventListener("update", ({ detail }) => this.update(detail));
    socket.addEventListener("refusal", ({ detail }) => this.refused(detail));
    socket.addEventListener("balance", ({ detail }) => this.balanceShow(detail.balance));
    socket.addEventListener("config", ({ detail }) => this.configTake(detail));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.deal();
    });
    $("again").addEventListener("click", () => this.again());
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
    this.last = this.board.chips;
    const data = {};
    for (const [name, units] of stakes) data[WIRE_BETS[name]] = plain(units, this.money.decimals);
    verdict("No more bets.");
    this.send("Bet", data);
  }

  again() {
    if (!this.mayBet || !this.last.length) return;
    this.feltClear();
    this.board.lay(this.last);
    this.deal();
  }

  send(action, data) {
    this.isBusy = true;
    this.problem("");
    this.board.lock(true);
    this.actionsShow();
    this.socket.act(action, data);
  }

  // what comes back

  async update({ message, data }) {
    const bets = Object.fromEntries(Object.entries(WIRE_BETS).map(([name, wire]) => [name, data[wire] ?? "0"]));
    const before = this.round ?? JSON.parse(sessionStorage.getItem(ROUND_STORE) ?? "null");
    if (message.action !== "Bet" && before?.roundId !== message.roundId) {
      this.resume(null); // a change of a round that this window knows nothing of
      return;
    }
    if (before && data.acceptedInsurance) before.insuranceStake = data.insuranceAmount ?? plain(this.insuranceTop(before), this.money.decimals);
    this.round = applyUpdate(before, message, bets);
    await this.show();
  }

  async resume(message) {
    const wasOpen = this.round && !this.round.ended;
    if (message) {
      this.round = roundOf(message);
      await this.show();
      return;
    }
    if (wasOpen) {
      this.round = null;
      this.felt.clear();
      verdict("This round is over.", { note: "It was finished elsewhere: your history has it." });
    } else if (!this.round) {
      verdict("Choose a chip, then a spot to lay it on.");
    }
    this.socket.balanceAsk(this.money.currency);
    this.idle();
  }

  async show() {
    const { round } = this;
    sessionStorage.setItem(ROUND_STORE, JSON.stringify(round));
    this.form.classList.add("in-round");
    this.isBusy = true;
    this.board.lock(true);
    this.actionsShow();
    if (!round.ended && round.owner === "Dealer") verdict("The dealer plays.");
    sound.cardSound();
    await beat(this.felt.show(round));
    this.sidesShow();
    if (this.round !== round) return; // something newer came while the cards were moving
    if (round.ended) this.endShow();
    else if (round.owner === "Dealer") await this.dealerGo(round);
    else this.moveAsk();
  }

  async dealerGo(round) {
    say(`Dealer has ${totalWords(round.dealer)}.`);
    await beat(DEALER_BEAT_MS);
    if (this.round === round && !this.socket.pending) this.send("Hit", {});
  }

  moveAsk() {
    const { round } = this;
    this.isBusy = false;
    this.socket.balanceAsk(this.money.currency);
    const hand = round.hands[round.handIndex];
    const name = round.hands.length > 1 ? `Hand ${round.handIndex + 1}` : "You";
    const words = `${name}: ${hand.cards.map(cardName).join(", ")}, ${totalWords(hand.cards)}. Dealer shows ${round.dealer.map(cardName).join(", ")}.`;
    verdict(round.hands.length > 1 ? `Your move on hand ${round.handIndex + 1}.` : "Your move.");
    this.actionsShow({ focus: true });
    say(`${words} ${$("question").textContent || `${round.nextActions.join(", ")}?`}`);
  }

  endShow() {
    const { round } = this;
    const outcome = outcomeOf(round, this.money);
    this.balanceShow(round.balance);
    const title = outcomeTitle(round, outcome, (units) => this.amount(units));
    const lines = outcome.lines.map(({ text }) => text);
    const sum = lines.length > 1 ? ` In all ${this.amount(outcome.back)} back for ${this.amount(outcome.staked)}.` : "";
    const note = `${lines.join(". ")}.${sum}`;
    verdict(title, { tone: toneOf(outcome.staked, outcome.back), note });
    say(`Dealer ${totalWords(round.dealer)}. ${title} ${note}`);
    this.idle();
    if (this.last.length) $("again").focus({ preventScroll: true });
  }

  refused({ code, message, action }) {
    this.problem(sentence(message));
    if (action === "Bet") verdict("Nothing was bet.");
    if (code === "GAME_ROUND_NOT_FOUND") this.round = null;
    this.idle();
  }

  /** Nothing is open: chips may be laid. */
  idle() {
    this.isBusy = false;
    this.board.lay(this.round ? [] : this.board.chips);
    this.board.lock(false);
    this.actionsShow();
  }

  feltClear() {
    if (!this.round?.ended) return;
    this.round = null;
    this.felt.clear();
    this.sidesShow();
    this.form.classList.remove("in-round");
    sessionStorage.removeItem(ROUND_STORE);
    verdict("Choose a chip, then a spot to lay it on.");
    this.problem("");
  }

  // what may be done now

  get isOpen() {
    return Boolean(this.round && !this.round.ended);
  }

  get mayBet() {
    return !this.isBusy && !this.isOpen && this.line === "up";
  }

  buttonsShow() {
    $("deal").disabled = !this.mayBet || !this.board.total;
    $("again").disabled = !this.mayBet || !this.last.length || this.board.total > 0n;
  }

  actionsShow({ focus = false } = {}) {
    const names = this.isOpen && !this.isBusy && this.round.owner === "Player" ? this.round.nextActions : [];
    $("betting").hidden = this.isOpen;
    $("acting").hidden = !this.isOpen;
    const question = names.includes("Peek") ? this.question() : null;
    $("question").hidden = !question;
    $("question").textContent = question?.text ?? "";
    $("insurance").hidden = !question?.asksAmount;
    const choices = names.filter((name) => name in MOVES).map((name) => this.moveChoice(name));
    const buttons = [...(question?.choices ?? []), ...choices].map((choice) => this.choiceButton(choice));
    const wanted = document.activeElement?.dataset?.choice;
    $("actions").replaceChildren(...buttons);
    this.buttonsShow();
    if (focus && buttons.length) (buttons.find((button) => button.dataset.choice === wanted) ?? buttons[0]).focus({ preventScroll: true });
  }

  moveChoice(name) {
    const { key, costs } = MOVES[name];
    const stake = this.units(this.round.hands[this.round.handIndex].stake);
    const label = costs && stake ? `${name} +${shown(stake, this.money.decimals)}` : name;
    return { name, label, key, act: () => this.send(name, {}) };
  }

  /** The question under an ace, or under a ten where early surrender may be had. */
  question() {
    const { round } = this;
    const no = { name: "No", key: "n", act: () => this.send("Peek", { acceptedInsurance: false }) };
    const isAce = handTotal(round.dealer).isSoft;
    if (!isAce || this.data.rules.insurance === "off") {
      return { text: "The dealer looks at the hidden card before you play.", choices: [{ ...no, label: "Go on", key: "g" }] };
    }
    const half = this.insuranceTop(round);
    if (half === 0n) return { text: "The dealer shows an ace. Half of your bet is too small to insure.", choices: [{ ...no, label: "Go on", key: "g" }] };
    const natural = isNatural(round.hands[0]) ? " You have blackjack: with insurance you win your bet whatever the dealer has." : "";
    const asksAmount = this.data.rules.insurance === "up-to-half";
    if (asksAmount) this.insurance.ask(round.roundId, half);
    const units = asksAmount ? this.insurance.units : half;
    const text = `The dealer shows an ace. Insure against blackjack for ${asksAmount ? "up to " : ""}${this.amount(half)}? It pays 2 to 1 if the dealer has it and is lost if not.${natural}`;
    const label = units === null ? "Insure" : `Insure for ${shown(units, this.money.decimals)}`;
    const act = asksAmount ? () => this.insure() : () => this.send("Peek", { acceptedInsurance: true });
    return { text, asksAmount, choices: [{ name: "Yes", key: "y", label, act }, { ...no, label: "No insurance" }] };
  }

  /** Take the insurance that is written. */
  insure() {
    if (this.isBusy || this.line !== "up") return;
    const data = this.insurance.peekData();
    if (data) this.send("Peek", data);
    else this.problem(`An insurance of ${this.insurance.limitsText} is possible.`);
  }

  insuranceChanged() {
    this.problem("");
    this.actionsShow();
  }

  insuranceTop(round) {
    return this.units(round.hands[0].stake) / 2n;
  }

  choiceButton({ name, label, key, act }) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = `button ${name === "Hit" || name === "Yes" ? "primary" : ""}`;
    button.dataset.choice = name;
    button.dataset.key = key;
    const kbd = document.createElement("kbd");
    kbd.textContent = key.toUpperCase();
    kbd.setAttribute("aria-hidden", "true");
    button.append(label, " ", kbd);
    button.disabled = this.line !== "up";
    button.addEventListener("click", act);
    return button;
  }

  key(event) {
    if (!keysOn() || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target.matches?.("input, textarea, select")) return;
    const key = event.key.toLowerCase();
    const button = key === "b" ? $("again") : $("actions").querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (button && !button.disabled && button.checkVisibility()) button.click();
  }

  // what else is shown

  problem(text) {
    $("problem").textContent = text;
  }

  balanceShow(text) {
    const balance = $("balance");
    if (balance && text) balance.textContent = shown(this.units(text), this.money.decimals);
  }

  sidesShow() {
    const { round } = this;
    const found = round ? [["Perfect Pairs", round.perfectPairs], ["21+3", round.poker], ["Insurance", round.insurance]] : [];
    $("side-results").replaceChildren(...found.filter(([, result]) => result).map(([label, { payout, status }]) => {
      const tag = document.createElement("span");
      tag.className = `tag ${this.units(payout) > 0n ? "win" : "loss"}`;
      tag.textContent = `${label}: ${SIDE_WORDS[status]}${this.units(payout) > 0n ? `, ${shown(this.units(payout), this.money.decimals)} back` : ""}`;
      return tag;
    }));
  }

  configTake(config) {
    Object.assign(this.data, { betMin: config.minBet, betMax: config.maxBet });
    if (config.rules) this.data.rules = config.rules;
    $("limits").textContent = `Limits a bet: ${grouped(config.minBet)} to ${grouped(config.maxBet)} ${this.money.currency}`;
  }

  lineShow(line) {
    this.line = line;
    $("line").dataset.line = line;
    const text = $("line-text");
    text.textContent = LINE_WORDS[line];
    if (line === "taken") {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "button small";
      button.textContent = "Play here";
      button.addEventListener("click", () => this.socket.start());
      text.append(" ", button);
    } else if (line === "over") {
      const link = document.createElement("a");
      link.href = this.form.dataset.loginUrl;
      link.textContent = "Log in again";
      text.append(" ", link);
    }
    this.actionsShow();
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
