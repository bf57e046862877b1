// Solves the puzzle that the server asks of whoever behaved like a machine: counts n until the
// SHA-256 of challenge, colon and n begins with enough zero bits. It works in short slices on the
// page's own thread: a worker from another address is not allowed anywhere, and one made of a
// blob not under a strict Content-Security-Policy. Hashes are made here, because those of the
// browser need an encrypted page and a promise each.

const slice = 12; // milliseconds of work between two breaths

export default async function proof({ challenge, bits }: { challenge: string; bits: number }, progress?: (percent: number) => void): Promise<string> {
  for (let n = 0; ; ) {
    const until = performance.now() + slice;
    while (performance.now() < until) {
      for (let i = 0; i < 64; i++, n++) if (zeros(sha256(`${challenge}:${n}`)) >= bits) return String(n);
    }
    progress?.(Math.floor(100 * (1 - Math.exp(-n / 2 ** bits)))); // nobody knows which n it will be
    await new Promise((resolve) => setTimeout(resolve));
  }
}

function zeros(hash: Int32Array): number {
  let n = 0;
  for (const word of hash) {
    n += Math.clz32(word);
    if (word) break;
  }
  return n;
}

// The constants are the fractions of the square and cube roots of the first primes.
const primes: number[] = [];
for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p)) primes.push(n);
const fraction = (x: number) => ((x - Math.floor(x)) * 2 ** 32) | 0;
const start = primes.slice(0, 8).map((p) => fraction(Math.sqrt(p)));
const round = primes.map((p) => fraction(Math.cbrt(p)));
const w = new Int32Array(64);
const rotate = (x: number, n: number) => (x >>> n) | (x << (32 - n));

/** The hash of a short ASCII text, as eight words. */
export function sha256(text: string): Int32Array {
  const length = text.length;
  const blocks = ((length + 8) >> 6) + 1;
  const data = new Uint8Array(blocks * 64);
  for (let i = 0; i < length; i++) data[i] = text.charCodeAt(i);
  data[length] = 128;
  const view = new DataView(data.buffer);
  view.setUint32(data.length - 4, length * 8);
  const state = Int32Array.from(start);
  for (let block = 0; block < blocks; block++) compress(state, view, block * 64);
  return state;
}

function compress(state: Int32Array, view: DataView, at: number): void {
  for (let i = 0; i < 64; i++) {
    if (i < 16) w[i] = view.getInt32(at + i * 4);
    else {
      const a = w[i - 15]!;
      const b = w[i - 2]!;
      w[i] = w[i - 16]! + w[i - 7]! + (rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3)) + (rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10));
    }
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < 64; i++) {
    const t = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + round[i]! + w[i]!) | 0;
    const u = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t) | 0;
    d = c;
    c = b;
    b = a;
    a = (t + u) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] = (state[i]! + word) | 0));
}
