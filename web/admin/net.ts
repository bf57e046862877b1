// The one file of the desk that reaches the network.

/** What a form is answered, see settled in the desk. */
export interface Settled {
  ok: boolean;
  id?: string;
  status?: string;
  text: string;
  decision?: string;
}

const broken: Settled = { ok: false, text: "The server cannot be reached. Nothing is known to have changed; try again." };

function csrf(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="postil-csrf"]')?.content ?? "";
}

/** Sends a form. Whatever goes wrong is an answer that is not ok. */
export async function send(url: string, fields: FormData): Promise<Settled> {
  const body = new URLSearchParams();
  fields.forEach((value, name) => body.append(name, String(value)));
  body.set("csrf", csrf());
  try {
    const answer = await fetch(url, { method: "POST", body, headers: { Accept: "application/json" }, signal: AbortSignal.timeout(20_000) });
    return (await answer.json()) as Settled;
  } catch {
    return broken;
  }
}

/** How many comments wait, or null when that is not known. */
export async function waiting(): Promise<number | null> {
  try {
    const root = document.body.dataset.root ?? "./";
    const answer = await fetch(`${root}waiting`, { headers: { Accept: "application/json" } });
    return answer.ok ? ((await answer.json()) as { waiting: number }).waiting : null;
  } catch {
    return null;
  }
}
