import { isLoopback } from '../../../../foundation/kernel/loopback.ts';
import { carriesToken, printablePath } from '../printable-target.ts';
import { type CheckOutcome, fail, pass, warning } from '../report.ts';

/**
 * Runs the specification's check "Target": the path is `/mcp`; remote origins use HTTPS. Loopback http is a warning.
 */
export function checkTarget(target: URL): CheckOutcome {
  if (target.username !== '' || target.password !== '') {
    return fail('The URL carries user information.', 'Remove it: credentials do not belong in an MCP URL.');
  }
  if (carriesToken(target)) {
    return fail(
      'The URL carries a token.',
      'Remove it: a token belongs in the Authorization header, never in the MCP URL.',
    );
  }
  if (target.pathname !== '/mcp') {
    const path = printablePath(target);
    return fail(`The path is ${path}, not /mcp.`, `Use ${target.origin}/mcp.`, { path });
  }
  if (target.protocol === 'https:') return pass('The path is /mcp and the origin uses HTTPS.');
  if (isLoopback(target.hostname)) {
    return warning(
      'The path is /mcp; loopback HTTP is fine for a local trial only.',
      'Production endpoints use HTTPS: set AUTH_BASE_URL to the public https origin.',
    );
  }
  return fail(
    'A remote MCP endpoint uses plain HTTP.',
    'Production requires HTTPS: put TLS in front of the backend and set AUTH_BASE_URL to the https origin.',
    { origin: target.origin },
  );
}
