// The list of comments: which one is current, and what can be done to it by key.

let here: HTMLElement | null = null;

export function items(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(".item[data-id]")];
}

/** Makes an item the current one, or tells which it is. */
export function current(item?: HTMLElement | null): HTMLElement | null {
  if (item && item !== here && item.dataset.id) {
    here?.classList.remove("here");
    here = item;
    here.classList.add("here");
  }
  return here?.isConnected ? here : null;
}

/** Marks the first item without taking the focus from where the page put it. */
export function first(): void {
  current(items()[0] ?? null);
}

/** Goes to the next (1) or previous (-1) item that still waits for something. */
export function move(step: 1 | -1): void {
  const all = items();
  const at = all.indexOf(current() as HTMLElement);
  for (let i = at + step; i >= 0 && i < all.length; i += step) {
    const item = all[i] as HTMLElement;
    if (item.classList.contains("done")) continue;
    reach(item);
    return;
  }
}

/** Brings an item into view, with the focus on it. */
export function reach(item: HTMLElement): void {
  current(item);
  item.focus({ preventScroll: true });
  item.scrollIntoView({ block: "nearest" });
}

export function open(): void {
  current()?.querySelector<HTMLAnchorElement>("a.time")?.click();
}

export function write(): void {
  const answer = current()?.querySelector<HTMLDetailsElement>("details.answer");
  if (answer) answer.open = true;
  (answer ?? document).querySelector<HTMLTextAreaElement>("textarea")?.focus();
}

export function expand(): void {
  current()?.querySelectorAll(".body").forEach((body) => {
    body.classList.toggle("clip");
    if (body.scrollHeight <= 360) body.classList.remove("clip");
  });
}

/** Long texts are cut in a list, with a button that shows the rest. */
export function clipLong(within: ParentNode): void {
  within.querySelectorAll<HTMLElement>(".list .body").forEach((body) => {
    if (body.scrollHeight <= 440) return;
    body.classList.add("clip");
    const more = document.createElement("button");
    more.type = "button";
    more.className = "plain";
    more.title = "Expand (e)";
    more.textContent = "Show all of it";
    more.addEventListener("click", () => {
      body.classList.remove("clip");
      more.remove();
    });
    body.after(more);
  });
}
