import { randomBytes, randomInt } from 'node:crypto';
import { formOf, ownForm } from '../../support/http/page-visitor.ts';

/**
 * The flood of `sign-in-flood.ts`, in a separate process: from a message with the base URL until `stop`, sends wrong
 * passwords over 50 connections, each for another account from another address, so that the server must hash each one
 * and no rate limit applies. Reports the number of responses by status.
 */
const connections = 50;

let flood = new AbortController();
let answers: Record<string, number> = {};
let visits: Promise<void>[] = [];
process.on('message', (message: 'stop' | { readonly baseUrl: string }) => {
  if (message !== 'stop') {
    answers = {};
    flood = new AbortController();
    visits = Array.from({ length: connections }, () => keepTrying(message.baseUrl, flood.signal));
  } else {
    flood.abort();
    void Promise.all(visits).then(() => process.send?.(answers));
  }
});
process.once('disconnect', () => process.exit());
process.send?.('ready');

async function keepTrying(baseUrl: string, signal: AbortSignal): Promise<void> {
  const page = await fetch(`${baseUrl}/.auth/sign-in`);
  const cookie = page.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ');
  const form = formOf(await page.text(), '/.auth/sign-in');
  while (!signal.aborted) {
    const fields = {
      email: `${randomBytes(8).toString('hex')}@example.com`,
      password: 'wrong, but long enough',
    };
    const response = await fetch(`${baseUrl}${form.action}`, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        ...ownForm,
        cookie,
        'x-forwarded-for': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`,
      },
      body: new URLSearchParams({ ...form.fields, ...fields }),
    });
    await response.arrayBuffer();
    answers[response.status] = (answers[response.status] ?? 0) + 1;
  }
}
