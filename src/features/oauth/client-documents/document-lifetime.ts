const second = 1_000;

/**
 * One authorization meets one document, whatever its headers say, and a document that was taken over is gone in a day.
 * The draft lets a server set both (section 5.2).
 */
const bounds = { least: 60 * second, most: 24 * 3_600 * second } as const;

/** Where its headers say nothing. */
const usual = 15 * 60 * second;

/** How long an answer may be used, in milliseconds from `now` on (RFC 9111 section 4.2, as a shared cache). */
export function documentLifetime(headers: Readonly<Record<string, string>>, now: number): number {
  const lifetime = statedLifetime(headers, now);
  return lifetime === undefined ? usual : Math.min(bounds.most, Math.max(bounds.least, lifetime));
}

function statedLifetime(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const control = (headers['cache-control'] ?? '').toLowerCase();
  if (/(?:^|[\s,])no-(?:store|cache)\b/.test(control)) return 0;
  const age = Number(/^\d{1,9}$/.exec(headers['age'] ?? '')?.[0] ?? 0) * second;
  const maxAge = directive(control, 's-maxage') ?? directive(control, 'max-age');
  if (maxAge !== undefined) return maxAge * second - age;
  const expires = headers['expires'];
  if (expires === undefined) return undefined;
  // RFC 9111 section 5.3: what is no date lies in the past.
  const at = Date.parse(expires);
  return Number.isNaN(at) ? 0 : at - now;
}

function directive(control: string, name: string): number | undefined {
  const value = new RegExp(`(?:^|[\\s,])${name}="?(\\d{1,12})`).exec(control)?.[1];
  return value === undefined ? undefined : Number(value);
}
