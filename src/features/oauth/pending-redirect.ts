import type { PendingAuthorization, PendingRedirect } from './authorization-server.ts';
import { formatUserCode } from './devices/user-code.ts';
import type { StoredPayload } from './provider/object-store.ts';

/** Describes the destination of the response: a redirect URI that was validated at the start, or a device. */
export function pendingRedirect(
  redirectUri: unknown,
  device: StoredPayload | undefined,
): Pick<PendingAuthorization, 'redirect' | 'formAction'> {
  if (device !== undefined) return { redirect: deviceOf(device), formAction: '' };
  const { protocol, origin, host, hostname } = new URL(String(redirectUri));
  if (protocol === 'https:') return { redirect: { kind: 'web', origin, host }, formAction: origin };
  if (protocol !== 'http:') {
    return { redirect: { kind: 'app', scheme: protocol.slice(0, -1) }, formAction: protocol };
  }
  // A content security policy cannot contain an IPv6 address (CSP 3, host-source).
  const formAction = hostname.startsWith('[') ? 'http:' : origin;
  return { redirect: { kind: 'loopback', origin, host }, formAction };
}

function deviceOf({ userCode, deviceInfo }: StoredPayload): PendingRedirect {
  const { ip, ua } = (deviceInfo ?? {}) as { ip?: unknown; ua?: unknown };
  return {
    kind: 'device',
    userCode: formatUserCode(String(userCode)),
    ...(typeof ip === 'string' && ip !== '' && { address: ip }),
    ...(typeof ua === 'string' && ua !== '' && { userAgent: ua }),
  };
}
