// Makes elements. Text becomes text nodes; one function, setServerHTML, is the only place of the
// widget that turns a string into markup.

type Value = string | boolean | null | undefined | ((event: Event) => void);

/**
 * An element with attributes, listeners (a function under the event's name) and children.
 * true sets an empty attribute; false, null and undefined leave the attribute out.
 */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, Value> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value || value === "") element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

/** A button that never submits a form by accident. */
export function button(text: string, className: string, click: (event: Event) => void): HTMLButtonElement {
  return h("button", { type: "button", class: className, part: "button", click }, text);
}

interface Policy {
  createHTML(html: string): string;
}

function trustedPolicy(): Policy {
  const plain = { createHTML: (html: string) => html };
  try {
    const types = (window as { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } }).trustedTypes;
    return types?.createPolicy("postil", plain) ?? plain;
  } catch {
    return plain; // the page allows no policy of this name; the assignment below then says so itself
  }
}

let policy: Policy | undefined;

/** Shows HTML that the server sanitised: the `html` field of a comment or preview, nothing else. */
export function setServerHTML(element: Element, html: string): void {
  policy ??= trustedPolicy();
  element.innerHTML = policy.createHTML(html);
}

/** The address when it is an http or https one, absolute or as seen from base, else null. */
export function webAddress(address: string | null | undefined, base?: string): string | null {
  try {
    const url = new URL(address ?? "", base);
    return /^https?:$/.test(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

/** Moves the reader's view to an element, all of it or its beginning, without an animation nobody asked for. */
export function reveal(element: HTMLElement): void {
  element.scrollIntoView({ block: element.offsetHeight > innerHeight / 2 ? "start" : "center" });
  element.focus({ preventScroll: true });
}

/** Makes a text area as high as its text, where the style sheet cannot. */
export function grow(area: HTMLTextAreaElement): void {
  if (CSS.supports("field-sizing", "content")) return;
  area.style.height = "auto";
  area.style.height = `${area.scrollHeight + 2}px`;
}
