// What <postil-count> and <postil-views> share: the elements of a page ask together, once the rest
// of the page has been read, some posts at a time. What stands in an element whose number cannot be
// had is as good as it gets.

export type Batch = (api: string, site: string, element: HTMLElement) => void;

// batch asks for the numbers of a kind, at most so many posts in one request.
export function batch(kind: "counts" | "views", most: number, postOf: (element: HTMLElement) => string, show: (element: HTMLElement, n: number) => void): Batch {
  const waiting = new Map<string, Set<HTMLElement>>(); // by the address to ask

  function askAll(): void {
    for (const [address, elements] of waiting) {
      const posts = [...new Set(Array.from(elements, postOf))];
      for (let i = 0; i < posts.length; i += most) void ask(address, posts.slice(i, i + most), elements);
    }
    waiting.clear();
  }

  async function ask(address: string, posts: string[], elements: Set<HTMLElement>): Promise<void> {
    try {
      const response = await fetch(address + new URLSearchParams(posts.map((post) => ["post", post])), { credentials: "omit", signal: AbortSignal.timeout(15_000) });
      const numbers = (await response.json())[kind];
      for (const element of elements) {
        const n = numbers[postOf(element)];
        if (Number.isInteger(n)) show(element, n);
      }
    } catch {
      // nothing changes
    }
  }

  return (api, site, element) => {
    const address = `${api}/api/v1/sites/${encodeURIComponent(site)}/${kind}?`;
    if (!waiting.size) setTimeout(askAll);
    waiting.set(address, (waiting.get(address) ?? new Set()).add(element));
  };
}
