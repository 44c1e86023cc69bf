const second = 1_000;

/**
 * Bounds of the lifetime, in milliseconds. The minimum lets one authorization use the same document throughout; the
 * maximum drops a hijacked document within a day. The draft allows a server to set both bounds (section 5.2).
 */
const bounds = { min: 60 * second, max: 24 * 3_600 * second } as const;

/** Lifetime of a document whose headers state none, in milliseconds. */
const defaultLifetime = 15 * 60 * second;

/** Returns how long a response may be used, in milliseconds from `now` (RFC 9111 section 4.2, as a shared cache). */
export function documentLifetime(headers: Readonly<Record<string, string>>, now: number): number {
  const lifetime = statedLifetime(headers, now);
  return lifetime === undefined ? defaultLifetime : Math.min(bounds.max, Math.max(bounds.min, lifetime));
}

function statedLifetime(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const control = (headers['cache-control'] ?? '').toLowerCase();
  if (/(?:^|[\s,])no-(?:store|cache)\b/.test(control)) return 0;
  const age = Number(/^\d{1,9}$/.exec(headers['age'] ?? '')?.[0] ?? 0) * second;
  const maxAge = directive(control, 's-maxage') ?? directive(control, 'max-age');
  if (maxAge !== undefined) return maxAge * second - age;
  const expires = headers['expires'];
  if (expires === undefined) return undefined;
  // RFC 9111 section 5.3: an invalid date counts as a date in the past.
  const at = Date.parse(expires);
  return Number.isNaN(at) ? 0 : at - now;
}

function directive(control: string, name: string): number | undefined {
  const value = new RegExp(`(?:^|[\\s,])${name}="?(\\d{1,12})`).exec(control)?.[1];
  return value === undefined ? undefined : Number(value);
}
