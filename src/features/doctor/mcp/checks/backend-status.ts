import { jsonObject, type Probe, redirected, send } from '../probe.ts';
import { type CheckOutcome, fail, pass } from '../report.ts';

/** specification, check "Backend status": `GET /.status` returns JSON with `status` equal to `ok`. */
export async function checkBackendStatus(probe: Probe): Promise<CheckOutcome> {
  const url = `${probe.target.origin}/.status`;
  const reply = await send(probe, { url, headers: { accept: 'application/json' } });
  if ('fault' in reply) return reply.fault;

  const { response } = reply;
  const evidence = { url, status: response.status };
  const redirect = redirected(response);
  if (redirect !== undefined) return redirect;

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
      `/.status answers ${response.status} with status ${JSON.stringify(body['status'] ?? null)}.`,
      'The backend runs but is not healthy: look at the log of orgctx serve and at its database.',
      evidence,
    );
  }
  return pass('The backend is up.', evidence);
}
