// Deciding without reloading: a form is sent in the background, its comment folds to one line that
// tells what happened and takes it back, and the next comment becomes the current one.

import { current, items, move, reach } from "./list";
import { send, type Settled } from "./net";

interface Done {
  item: HTMLElement;
  decision: string;
}

const done: Done[] = [];

/** Presses a button of the current comment. */
export function act(verb: string): void {
  const item = current();
  if (!item || item.classList.contains("done")) return;
  item.querySelector<HTMLButtonElement>(`form.acts button[value="${verb}"]`)?.click();
}

/** Takes the last decision of this page back, or the one that the notice tells of. */
export function undoLast(): void {
  const last = done.pop();
  if (last) void undo(last);
  else document.querySelector<HTMLButtonElement>("#notice form button")?.click();
}

/** Sends the forms under comments of a list in the background. */
export function intercept(): void {
  document.addEventListener("submit", (event) => {
    const form = event.target as HTMLFormElement;
    const item = form.closest<HTMLElement>(".list .item[data-id]");
    const button = event.submitter as HTMLButtonElement | null;
    if (!item || !button || form.method !== "post" || !form.action.endsWith("/act")) return;
    event.preventDefault();
    void submit(form, button, item);
  });
}

async function submit(form: HTMLFormElement, button: HTMLButtonElement, item: HTMLElement): Promise<void> {
  const fields = new FormData(form, button);
  item.setAttribute("aria-busy", "true");
  const answer = await send(form.action, fields);
  item.removeAttribute("aria-busy");
  if (answer.ok) settle(item, answer);
  else refuse(item, answer);
}

function settle(item: HTMLElement, answer: Settled): void {
  const was = current();
  fold(item, answer.text);
  say(`${answer.text}. ${item.getAttribute("aria-label") ?? ""}`);
  if (answer.decision) {
    const entry: Done = { item, decision: answer.decision };
    done.push(entry);
    const back = document.createElement("button");
    back.type = "button";
    back.textContent = "Undo";
    back.title = "Undo (u)";
    back.addEventListener("click", () => {
      done.splice(done.indexOf(entry), 1);
      void undo(entry);
    });
    item.querySelector(".after")?.append(back);
  }
  if (was === item) next(item);
}

/** Goes on with what waits below; at the end of the list with what was left above. */
function next(item: HTMLElement): void {
  move(1);
  if (current() === item) {
    const left = items().find((other) => !other.classList.contains("done"));
    if (left) reach(left);
    else document.querySelector<HTMLAnchorElement>("a[rel=next]")?.focus();
  }
}

/** Folds an item to the line that says who wrote it, and another one about what happened. */
export function fold(item: HTMLElement, text: string): void {
  item.classList.add("done");
  item.querySelector(".after")?.remove();
  const line = document.createElement("div");
  line.className = "after";
  const words = document.createElement("span");
  words.textContent = text;
  line.append(words);
  item.append(line);
}

/** Somebody was faster, or it went wrong: the item says so and stays where it is. */
function refuse(item: HTMLElement, answer: Settled): void {
  item.querySelector(".slip")?.remove();
  const slip = document.createElement("p");
  slip.className = "slip";
  slip.setAttribute("role", "alert");
  slip.textContent = answer.text;
  if (answer.status) {
    const look = document.createElement("a");
    look.href = item.querySelector<HTMLAnchorElement>("a.time")?.href ?? "";
    look.textContent = "Look at it again";
    slip.append(" ", look);
  }
  item.querySelector(".said")?.append(slip);
}

async function undo(entry: Done): Promise<void> {
  const root = document.body.dataset.root ?? "./";
  const answer = await send(`${root}decisions/${entry.decision}/undo`, new FormData());
  say(answer.text);
  if (!answer.ok) {
    fold(entry.item, answer.text);
    return;
  }
  entry.item.classList.remove("done");
  entry.item.querySelector(".after")?.remove();
  reach(entry.item);
}

function say(text: string): void {
  const notice = document.querySelector("#notice");
  if (!notice) return;
  const p = document.createElement("p");
  p.className = "unseen";
  p.textContent = text;
  notice.replaceChildren(p);
}
