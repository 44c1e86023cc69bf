import { describe, expect, it } from 'vitest';
import { createLogger } from './logger.ts';

const hush = 'hush-0123456789';

function captured(pretty = false) {
  const lines: string[] = [];
  const log = createLogger({
    level: 'info',
    name: 'serve',
    pretty,
    destination: { write: (line: string) => void lines.push(line) },
  });
  return { log, lines };
}

describe('the logger', () => {
  it('writes one JSON object a line, with the level as a word, the time in ISO 8601 and the message', () => {
    const { log, lines } = captured();
    log.info({ port: 3000 }, 'listening');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      name: 'serve',
      port: 3000,
      msg: 'listening',
    });
  });

  it('passes over what is below its level', () => {
    const { log, lines } = captured();
    log.debug('never mind');
    expect(lines).toEqual([]);
  });

  it('is readable for a person when pretty', () => {
    const { log, lines } = captured(true);
    log.warn({ port: 3000 }, 'busy');
    expect(lines.join('')).toMatch(/WARN.*busy[\s\S]*port.*3000/);
  });

  it.each([
    'authorization',
    'Authorization',
    'cookie',
    'set-cookie',
    'password',
    'newPassword',
    'token',
    'access_token',
    'refreshToken',
    'secret',
    'OIDC_CLIENT_SECRET',
    'AUTH_SECRET',
    'CONNECTION_SECRETS_ENCRYPTION_KEY',
    'DATABASE_URL',
    'apiKey',
    'X-Api-Key',
    'privateKey',
    'Tracker-Signature',
  ])('keeps the value of %s out, at the top, nested, in lists and in the fields of a child', (name) => {
    for (const pretty of [false, true]) {
      const { log, lines } = captured(pretty);
      log.info({ [name]: hush }, 'top');
      log.info({ request: { headers: { [name]: hush } } }, 'nested');
      log.info({ list: [{ deep: { deeper: [{ [name]: { value: hush } }] } }] }, 'in lists');
      log.child({ [name]: hush, inner: { [name]: hush } }).info('child');
      expect(lines.join('')).toContain('[redacted]');
      expect(lines.join('')).not.toContain(hush);
    }
  });

  it('keeps secrets out of the message, of an error and of its causes', () => {
    const { log, lines } = captured();
    const cause = new Error(`GET https://x.example/?access_token=${hush} failed`);
    log.error(
      { err: new Error(`Bearer ${hush} was refused`, { cause }) },
      `clone of https://me:${hush}@git.example`,
    );
    expect(JSON.parse(lines[0] ?? '').err.type).toBe('Error');
    expect(lines.join('')).not.toContain(hush);
  });

  it('writes what lies deeper than it looks as redacted', () => {
    const { log, lines } = captured();
    let deep: object = { plain: `${hush} and a secret` };
    for (let depth = 0; depth < 20; depth += 1) deep = { deep };
    log.info({ deep }, 'deep');
    expect(lines.join('')).not.toContain(hush);
  });
});
