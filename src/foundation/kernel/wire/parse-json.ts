import { withoutNul } from '../text/without-nul.ts';

/**
 * Parses JSON; `undefined` if it is invalid, which every shape refuses. Replaces each NUL in its texts, because no
 * database can store one.
 */
export function parseJson(body: Uint8Array | string): unknown {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  try {
    return JSON.parse(text, text.includes(String.raw`\u0000`) ? cleaned : undefined);
  } catch {
    return undefined;
  }
}

function cleaned(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? withoutNul(value) : value;
}
