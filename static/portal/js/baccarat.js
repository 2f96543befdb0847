/** The baccarat table: bets are laid here, dealt and settled by the server, and shown here. */

import { betPost, Refusal, unanswered } from "./bet-post.js";
import { cardElement, cardName } from "./cards.js";
import { chipStack, chipTray } from "./chips.js";
import { plain, shown, unitsOf } from "./money.js";
import { beat } from "./motion.js";
import { beadPlate, bigRoad, outcome, score } from "./roads.js";

const WON = 1;
const LOST = 2;
const RESULTS = { 1: "won", 2: "lost", 3: "drawn" };
const WINNERS = { p: "Player", b: "Banker", t: "Tie" };
const CARD_MS = 430;

const form = document.getElementById("table");
if (form) start(JSON.parse(document.getElementById("table-data").textContent));

function start(data) {
  const $ = (id) => document.getElementById(id);
  const { decimals, currency } = data;
  const headers = { "X-CSRFToken": form.querySelector("[name=csrfmiddlewaretoken]").value };
  const spots = [...form.querySelectorAll(".spot")];
  const tray = chipTray($("chips"), {
    minimum: unitsOf(data.betMin, decimals), maximum: unitsOf(data.betMax, decimals), decimals, currency,
  });
  const amount = (units) => `${shown(units, decimals)} ${currency}`;
  let deals = data.road;
  let laid = [];
  let last = [];
  let dealing = false;
  let cleared = true;

  function stakes(chips) {
    const sums = new Map();
    for (const { type, units } of chips) sums.set(type, (sums.get(type) ?? 0n) + units);
    return sums;
  }

  function lay(type) {
    if (dealing) return;
    if (!cleared) clearResult();
    laid.push({ type, units: tray.value() });
    showBets();
  }

  function showBets() {
    const sums = stakes(laid);
    let total = 0n;
    for (const spot of spots) {
      const units = sums.get(Number(spot.dataset.gameType)) ?? 0n;
      total += units;
      spotShow(spot, units);
    }
    $("staked").textContent = shown(total, decimals);
    $("undo").disabled = $("clear").disabled = dealing || !laid.length;
    $("deal").disabled = dealing || !laid.length;
    $("rebet").disabled = dealing || laid.length > 0 || !last.length;
    for (const spot of spots) spot.setAttribute("aria-disabled", String(dealing));
  }

  function spotShow(spot, units) {
    const stake = spot.querySelector(".spot-stake");
    if (units) stake.replaceChildren(chipStack(units, tray.values, decimals), shown(units, decimals));
    else stake.replaceChildren();
    const odds = spot.querySelector("[data-odds]").textContent;
    spot.setAttribute("aria-label", `${spot.dataset.label}, pays ${odds} to 1, ${units ? `staked ${amount(units)}` : "no stake"}`);
  }

  function clearResult() {
    cleared = true;
    for (const spot of spots) {
      spot.classList.remove("won", "lost", "drawn", "hit");
      spot.querySelector(".spot-result").textContent = "";
    }
    for (const side of ["player", "banker"]) {
      $(`${side}-hand`).replaceChildren();
      $(`${side}-score`).textContent = "";
      $(`${side}-hand`).parentElement.classList.remove("winner");
    }
    verdict("Choose a chip, then a spot to lay it on.");
    $("problem").textContent = "";
  }

  function verdict(title, { tone = "", note = "" } = {}) {
    const strong = document.createElement("strong");
    strong.textContent = title;
    const small = document.createElement("small");
    small.textContent = note;
    $("verdict").className = `verdict ${tone}`;
    $("verdict").replaceChildren(strong, ...(note ? [small] : []));
  }

  function bodyOf(chips) {
    const bets = [...stakes(chips)].map(([type, units]) => `{"game_type":${type},"bet_amount":${plain(units, decimals)}}`);
    return `{"currency":${JSON.stringify(currency)},"bets":[${bets.join(",")}]}`;
  }

  async function play(body, earlier) {
    dealing = true;
    $("problem").textContent = "";
    showBets();
    verdict(earlier ? "Looking for your last bet ..." : "No more bets.");
    try {
      const answer = await betPost(form.dataset.betUrl, headers, {
        body, earlier, onRetry: (status) => verdict(status ? "The table is busy. Asking again ..." : "The line is down. Asking again ...", { note: "Your bet is placed once, however often we ask." }),
      });
      await dealShow(answer);
      settleShow(answer);
      if (!earlier) last = laid;
      laid = [];
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refused(error);
    } finally {
      dealing = false;
      $("undo").disabled = $("clear").disabled = $("deal").disabled = true;
      if (cleared) showBets();
      else afterDeal();
    }
  }

  function refused(error) {
    verdict("Nothing was bet.");
    $("problem").textContent = sentence(error.message);
    if (error.status === 401) {
      const link = document.createElement("a");
      link.href = form.dataset.loginUrl;
      link.textContent = "Log in again";
      $("problem").append(" ", link);
    }
    refresh();
  }

  async function dealShow({ player, banker }) {
    clearResult();
    cleared = false;
    const order = [["player", 0], ["banker", 0], ["player", 1], ["banker", 1], ["player", 2], ["banker", 2]];
    const cards = { player, banker };
    for (const [side, index] of order) {
      const code = cards[side][index];
      if (!code) continue;
      const card = cardElement(code);
      card.classList.add("dealt");
      $(`${side}-hand`).append(card);
      await beat(CARD_MS);
      $(`${side}-score`).textContent = score(cards[side].slice(0, index + 1));
    }
  }

  function settleShow(answer) {
    const { winner } = outcome(answer);
    const scores = [score(answer.player), score(answer.banker)];
    if (winner !== "t") $(winner === "p" ? "player-hand" : "banker-hand").parentElement.classList.add("winner");
    let staked = 0n;
    let back = 0n;
    for (const bet of answer.bets) {
      const stake = unitsOf(bet.bet_amount, decimals);
      const reward = unitsOf(bet.reward_amount, decimals);
      staked += stake;
      back += reward;
      spotSettle(spots.find((spot) => Number(spot.dataset.gameType) === Number(bet.game_type)), Number(bet.result_type), stake, reward);
    }
    $("balance").textContent = shown(unitsOf(answer.balance, decimals), decimals);
    deals = [...deals, { player: answer.player, banker: answer.banker }].slice(-72);
    roadsShow(deals, $);
    const title = winner === "t" ? `Tie, ${scores[0]} to ${scores[1]}.` : `${WINNERS[winner]} wins, ${Math.max(...scores)} to ${Math.min(...scores)}.`;
    const said = [...answer.player.map(cardName)].join(", ");
    verdict(`${title} ${balanceWords(staked, back)}`, {
      tone: toneOf(staked, back),
      note: `Staked ${amount(staked)}, came back ${amount(back)}.`,
    });
    $("player-hand").setAttribute("aria-label", said);
  }

  function balanceWords(staked, back) {
    if (back > staked) return `You win ${amount(back - staked)}.`;
    return back < staked ? `You lose ${amount(staked - back)}.` : "Your stake comes back.";
  }

  function spotSettle(spot, result, stake, reward) {
    if (!spot) return;
    spotShow(spot, stake);
    spot.classList.add(RESULTS[result]);
    const label = spot.querySelector(".spot-result");
    if (result === WON) label.textContent = `+${shown(reward - stake, decimals)}`;
    else label.textContent = result === LOST ? "Lost" : "Push";
  }

  function afterDeal() {
    for (const spot of spots) spot.setAttribute("aria-disabled", "false");
    $("staked").textContent = shown(0n, decimals);
    $("rebet").disabled = !last.length;
    if (last.length) $("rebet").focus({ preventScroll: true });
  }

  async function refresh() {
    const response = await fetch(form.dataset.tableUrl).catch(() => null);
    if (!response?.ok) return;
    const fresh = await response.json();
    $("balance").textContent = shown(unitsOf(fresh.balance, decimals), decimals);
    $("limits").textContent = `Limits a bet: ${fresh.limits} ${currency}`;
    for (const bet of fresh.bets) {
      const spot = spots.find((found) => Number(found.dataset.gameType) === bet.gameType);
      if (spot) spot.querySelector("[data-odds]").textContent = bet.odds;
    }
  }

  for (const spot of spots) spot.addEventListener("click", () => lay(Number(spot.dataset.gameType)));
  $("undo").addEventListener("click", () => { laid.pop(); showBets(); });
  $("clear").addEventListener("click", () => { laid = []; showBets(); });
  $("rebet").addEventListener("click", () => {
    clearResult();
    laid = [...last];
    showBets();
    $("deal").focus({ preventScroll: true });
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!dealing && laid.length) play(bodyOf(laid), null);
  });
  roadsShow(deals, $);
  showBets();
  const earlier = unanswered();
  if (earlier) play("", earlier);
}

function toneOf(staked, back) {
  if (back > staked) return "win";
  return back < staked ? "loss" : "push";
}

function sentence(text) {
  const words = text.replace(/^[a-z_]+: /, ""); // the field's name on the wire
  const start = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.!?]$/.test(start) ? start : `${start}.`;
}

function roadsShow(deals, $) {
  const outcomes = deals.map(outcome);
  const cell = (found, text) => {
    const span = document.createElement("span");
    span.className = found.winner + (found.playerPair ? " pair-p" : "") + (found.bankerPair ? " pair-b" : "");
    span.textContent = text;
    return span;
  };
  $("bead").replaceChildren(...beadPlate(outcomes).map((found) => cell(found, found.winner.toUpperCase())));
  $("big").replaceChildren(...bigRoad(outcomes).map((found) => {
    const span = cell(found, found.ties > 1 ? String(found.ties) : "");
    if (found.ties) span.classList.add("tied");
    span.style.gridColumn = found.column;
    span.style.gridRow = found.row;
    return span;
  }));
  $("big-scroll").scrollLeft = $("big-scroll").scrollWidth;
  const tally = (winner) => outcomes.filter((found) => found.winner === winner).length;
  $("road-words").textContent = outcomes.length
    ? `Last ${outcomes.length} rounds: player ${tally("p")}, banker ${tally("b")}, tie ${tally("t")}. The last one: ${WINNERS[outcomes.at(-1).winner].toLowerCase()}.`
    : "No rounds yet.";
}
