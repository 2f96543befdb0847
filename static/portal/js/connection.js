/** How the line to the game server stands, in words, and the way back where it is not up. */

const WORDS = { up: "Connected", down: "The line is down, coming back ...", taken: "Open in another window", over: "The session is over" };
const $ = (id) => document.getElementById(id);

/** Show the line; `playHere` is called where another window has the game and the player wants it here. */
export function lineShow(line, { loginUrl, playHere }) {
  $("line").dataset.line = line;
  const text = $("line-text");
  text.textContent = WORDS[line];
  if (line === "taken") {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button small";
    button.textContent = "Play here";
    button.addEventListener("click", playHere);
    text.append(" ", button);
  } else if (line === "over") {
    const link = document.createElement("a");
    link.href = loginUrl;
    link.textContent = "Log in again";
    text.append(" ", link);
  }
}
