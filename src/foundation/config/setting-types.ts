import { isIP } from 'node:net';
import { z } from 'zod';
import type { LogLevel } from './config.ts';
import type { SettingType } from './setting.ts';

/** A type from a reading function: `undefined` is a fault, told in words that never hold the text itself. */
export function reading<Value>(
  mustBe: string,
  read: (text: string) => Value | undefined,
): SettingType<Value> {
  return z.string().transform((text, context) => {
    const value = read(text);
    if (value !== undefined) return value;
    // No `input`: a setting's text goes into no error.
    context.issues.push({ code: 'custom', message: `must be ${mustBe}`, input: undefined });
    return z.NEVER;
  });
}

export const plainText: SettingType<string> = reading('text without control characters', (text) =>
  /\p{Cc}/u.test(text) ? undefined : text,
);

/** Keys and certificates have lines. */
export const anyText: SettingType<string> = z.string();

export const strongSecret = reading('at least 32 characters long', (text) =>
  text.length >= 32 ? text : undefined,
);

export const strongSecrets = reading('a comma list of keys of at least 32 characters', (text) => {
  const keys = commaList(text);
  return keys.every((key) => key.length >= 32) ? keys : undefined;
});

export const portNumber = wholeNumber(0, 65_535);

function wholeNumber(min: number, max: number): SettingType<number> {
  return reading(`a whole number from ${min} to ${max}`, (text) => {
    const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  });
}

/** Ten years at most: anything longer is a slip. */
export function seconds(min: number): SettingType<number> {
  return wholeNumber(min, 315_360_000);
}

export const flag = reading('true or false', (text) => {
  const known: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };
  return known[text.toLowerCase()];
});

export function oneOf<const Choice extends string>(...choices: readonly Choice[]): SettingType<Choice> {
  return reading(`one of ${choices.join(', ')}`, (text) => choices.find((choice) => choice === text));
}

export const logLevel: SettingType<LogLevel> = oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace');

export const hostName = reading('a host name or an IP address to listen on', (text) =>
  isIP(text) !== 0 || /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i.test(text) ? text : undefined,
);

const mailDomain = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/;

export const domains = reading('a comma list of mail domains such as example.com', (text) => {
  const names = commaList(text.toLowerCase());
  return names.every((name) => mailDomain.test(name)) ? names : undefined;
});

/** Words of Fastify's `trustProxy` (the package proxy-addr). */
const proxyRanges = new Set(['loopback', 'linklocal', 'uniquelocal']);

export const trustedProxies = reading(
  'true, false, a number of hops, or a comma list of addresses and CIDR ranges',
  (text): boolean | number | readonly string[] | undefined => {
    if (text === 'true' || text === 'false') return text === 'true';
    if (/^\d{1,2}$/.test(text)) return Number(text);
    const ranges = commaList(text);
    return ranges.every((range) => proxyRanges.has(range) || isAddressRange(range)) ? ranges : undefined;
  },
);

function isAddressRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** Items without blanks round them; empty items are passed over. */
export function commaList(text: string): readonly string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
