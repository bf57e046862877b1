// Edit and Delete on an own comment, for as long as it can be changed, with the time that is left.

import { button, h } from "../dom";
import type { OwnKit } from "../part";

export default function own({ say, lang, until, now, edit, ask, changed, announce, failed }: OwnKit): HTMLElement {
  const end = Date.parse(until);
  const title = say("editUntil", "You can change it until {when}", { when: new Date(end).toLocaleTimeString(lang, { timeStyle: "short" }) });
  const label = say("edit", "Edit");
  const editButton = button(label, "edit", () => edit(say("changeText", "Change your comment"), say("save", "Save"), save));
  const removeButton = button(say("remove", "Delete"), "remove", confirm);
  const element = h("span", { class: "own" }, editButton, removeButton);
  editButton.title = title;

  async function save(text: string): Promise<void> {
    const { comment } = await ask("PATCH", { text });
    await changed({ text, ...comment }, say("saved", "Saved."));
    announce("edited");
  }

  async function remove(): Promise<void> {
    try {
      await ask("DELETE", {});
      await changed(null, say("now_removed", "Your comment was deleted."));
      announce("removed");
    } catch (error) {
      failed(error, () => void remove());
    }
  }

  // The second press within a few seconds deletes; a stray first one does nothing.
  function confirm(): void {
    if (removeButton.dataset.sure) return void remove();
    removeButton.dataset.sure = "yes";
    removeButton.textContent = say("removeSure", "Delete for good");
    setTimeout(() => {
      delete removeButton.dataset.sure;
      removeButton.textContent = say("remove", "Delete");
    }, 4000);
  }

  const unit = (n: number, unit: string) => new Intl.NumberFormat(lang, { style: "unit", unit, unitDisplay: "short" }).format(n);

  // Never promises more than there is: what is left is rounded down.
  function tick(first = false): void {
    const left = Math.floor((end - now()) / 1000);
    if (left <= 0 || !(first || element.isConnected)) {
      element.remove();
      return;
    }
    editButton.textContent = `${label} (${left < 60 ? unit(left, "second") : unit(Math.floor(left / 60), "minute")})`;
    setTimeout(tick, left < 61 ? 1000 : 1000 * (left % 60) + 1000);
  }
  tick(true);
  return element;
}
