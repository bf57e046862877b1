// Remembers small things on the reader's device. A page may forbid storage, or it may be full:
// then everything still works and is forgotten with the page.

const prefix = "postil:";
const memory = new Map<string, string>();

/** The value kept under key, or the fallback when there is none or it cannot be read. */
export function recall<T>(key: string, fallback: T): T {
  let text = memory.get(key);
  try {
    return JSON.parse((text ??= localStorage.getItem(prefix + key) ?? "")) as T;
  } catch {
    return fallback;
  }
}

/** Keeps a value, or with undefined forgets it; call it only after the visitor has acted. */
export function remember(key: string, value?: unknown): void {
  memory.delete(key);
  try {
    if (value === undefined) localStorage.removeItem(prefix + key);
    else localStorage.setItem(prefix + key, JSON.stringify(value));
  } catch {
    if (value !== undefined) memory.set(key, JSON.stringify(value));
  }
}

/** 128 random bits as text, fit for a device key or an Idempotency-Key. */
export function randomKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}
