// Remembers small things on the reader's device. A page may forbid storage, or it may be full:
// then everything still works and is forgotten with the page.

const prefix = "postil:";
const memory = new Map<string, string>();

function stored(key: string): string | null {
  try {
    return memory.get(key) ?? localStorage.getItem(prefix + key);
  } catch {
    return memory.get(key) ?? null;
  }
}

/** The value kept under key, or the fallback when there is none or it cannot be read. */
export function recall<T>(key: string, fallback: T): T {
  try {
    const text = stored(key);
    return text === null ? fallback : (JSON.parse(text) as T);
  } catch {
    return fallback;
  }
}

/** Keeps a value; call it only after the visitor has acted. */
export function remember(key: string, value: unknown): void {
  const text = JSON.stringify(value);
  try {
    localStorage.setItem(prefix + key, text);
    memory.delete(key);
  } catch {
    memory.set(key, text);
  }
}

export function forget(key: string): void {
  memory.delete(key);
  try {
    localStorage.removeItem(prefix + key);
  } catch {
    // forbidden storage holds nothing to remove
  }
}

/** 32 random characters, fit for a device key or an Idempotency-Key. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
