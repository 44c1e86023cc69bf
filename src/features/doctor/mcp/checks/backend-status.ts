import type { HttpResponse } from '../../../../foundation/net/http.ts';
import { type Finding, passUnless } from '../findings.ts';
import { jsonObject, type Probe, send } from '../probe.ts';
import { type CheckOutcome, fail } from '../report.ts';

/** Beyond this many seconds clients and server disagree about what has expired. */
const toleratedSkew = 30;

/**
 * specification, check "Backend status": `GET /.status` returns JSON with `status` equal to `ok`. Beside it, whether
 * the clocks there agree with the one here.
 */
export async function checkBackendStatus(probe: Probe): Promise<CheckOutcome> {
  const url = `${probe.target.origin}/.status`;
  const sent = probe.now();
  const reply = await send(probe, { url, headers: { accept: 'application/json' } });
  if ('fault' in reply) return reply.fault;
  return judge(reply.response, url, { sent, received: probe.now() });
}

function judge(response: HttpResponse, url: string, exchange: Exchange): CheckOutcome {
  const evidence = { url, status: response.status };
  const body = jsonObject(response);
  if (body === undefined) {
    return fail(
      '/.status does not answer JSON.',
      'Another program answers at this origin, or a proxy page: route every path of the origin to orgctx.',
      evidence,
    );
  }
  if (response.status !== 200 || body['status'] !== 'ok') {
    return fail(
      `/.status answers ${response.status} with status ${shown(body['status'])}.`,
      'The backend runs but is not healthy: look at the log of orgctx serve and at its database.',
      evidence,
    );
  }
  const timestamp = timeOf(body['timestamp']);
  const skew = largestSkew([timeOf(response.headers['date']), timestamp], exchange);
  return passUnless([missing(timestamp), skewed(skew)], 'The backend is up.', {
    ...evidence,
    clockSkewSeconds: skew ?? null,
  });
}

/** What a stranger's answer says, short enough for a line. */
function shown(status: unknown): string {
  return JSON.stringify(status ?? null).slice(0, 60);
}

function missing(timestamp: number | undefined): Finding | undefined {
  if (timestamp !== undefined) return undefined;
  return {
    message: 'The answer has no timestamp.',
    hint: 'Is the instance behind this origin orgctx, and is it up to date?',
  };
}

/** When a request went out and its answer was there, on this machine's clock. */
interface Exchange {
  readonly sent: number;
  readonly received: number;
}

/** Seconds by which the clock that is off the most is ahead; a proxy's `Date` may replace the backend's. */
function largestSkew(clocks: readonly (number | undefined)[], exchange: Exchange): number | undefined {
  const known = clocks.filter((clock) => clock !== undefined).map((clock) => skewOf(clock, exchange));
  return known.toSorted((one, other) => Math.abs(other) - Math.abs(one))[0];
}

function skewOf(clock: number, { sent, received }: Exchange): number {
  const ahead = clock > received ? clock - received : Math.min(0, clock - sent);
  return Math.round(ahead / 1000);
}

function skewed(skew: number | undefined): Finding | undefined {
  if (skew === undefined || Math.abs(skew) <= toleratedSkew) return undefined;
  return {
    message: `Its clock is ${Math.abs(skew)} seconds ${skew > 0 ? 'ahead of' : 'behind'} this machine's.`,
    hint: 'Set both clocks by NTP: tokens and signatures expire by the clock of the service.',
  };
}

function timeOf(text: unknown): number | undefined {
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
