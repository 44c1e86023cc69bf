import type { HttpResponse } from '../../../../foundation/net/http.ts';
import { type Finding, passUnless } from '../findings.ts';
import { jsonObject, type Probe, send } from '../probe.ts';
import { type CheckOutcome, fail } from '../report.ts';

/** Maximum clock skew, in seconds. Beyond it, clients and server disagree about what has expired. */
const maxSkew = 30;

/**
 * Checks that `GET /.status` returns JSON with `status` equal to `ok`. Also compares the
 * clocks of the backend and its proxy with the local clock.
 */
export async function checkBackendStatus(probe: Probe): Promise<CheckOutcome> {
  const url = `${probe.target.origin}/.status`;
  const sent = probe.now();
  const reply = await send(probe, { url, headers: { accept: 'application/json' } });
  if ('error' in reply) return reply.error;
  return judge(reply.response, url, { sent, received: probe.now() });
}

function judge(response: HttpResponse, url: string, exchange: Exchange): CheckOutcome {
  const evidence = { url, status: response.status };
  const body = jsonObject(response);
  if (body === undefined && [502, 503, 504].includes(response.status)) {
    return fail(
      `The reverse proxy answers ${response.status}: it does not reach orgctx.`,
      'Start orgctx serve, or look at its log. If it runs, let the proxy pass requests to its address and port.',
      evidence,
    );
  }
  if (body === undefined) {
    return fail(
      '/.status does not answer JSON.',
      'Another program answers at this origin, or a proxy page: route every path of the origin to orgctx.',
      evidence,
    );
  }
  if (response.status !== 200 || body['status'] !== 'ok') {
    return fail(
      `/.status answers ${response.status} with status ${printable(body['status'])}.`,
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

/** Prints the status of an unknown server, truncated to one short line. */
function printable(status: unknown): string {
  return JSON.stringify(status ?? null).slice(0, 60);
}

function missing(timestamp: number | undefined): Finding | undefined {
  if (timestamp !== undefined) return undefined;
  return {
    message: 'The response has no timestamp.',
    hint: 'Is the instance behind this origin orgctx, and is it up to date?',
  };
}

/** The times of a request and its response, by the clock of this machine. */
interface Exchange {
  readonly sent: number;
  readonly received: number;
}

/** Returns the largest skew, in seconds ahead of this machine. A proxy's `Date` may replace that of the backend. */
function largestSkew(clocks: readonly (number | undefined)[], exchange: Exchange): number | undefined {
  const known = clocks.filter((clock) => clock !== undefined).map((clock) => skewOf(clock, exchange));
  return known.toSorted((one, other) => Math.abs(other) - Math.abs(one))[0];
}

function skewOf(clock: number, { sent, received }: Exchange): number {
  const ahead = clock > received ? clock - received : Math.min(0, clock - sent);
  return Math.round(ahead / 1000);
}

function skewed(skew: number | undefined): Finding | undefined {
  if (skew === undefined || Math.abs(skew) <= maxSkew) return undefined;
  return {
    message: `Its clock is ${Math.abs(skew)} seconds ${skew > 0 ? 'ahead of' : 'behind'} this machine's.`,
    hint: 'Set both clocks by NTP: tokens and signatures expire by the clock of the service.',
  };
}

function timeOf(text: unknown): number | undefined {
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
