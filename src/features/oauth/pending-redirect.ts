import type { PendingRedirect } from './authorization-server.ts';
import { formatUserCode } from './devices/user-code.ts';
import type { StoredPayload } from './provider/object-store.ts';

/** Describes the destination of the response: a redirect URI that was validated at the start, or a device. */
export function pendingRedirect(redirectUri: unknown, device: StoredPayload | undefined): PendingRedirect {
  if (device !== undefined) return deviceOf(device);
  const { protocol, origin, host } = new URL(String(redirectUri));
  if (protocol === 'https:') return { kind: 'web', origin, host };
  if (protocol === 'http:') return { kind: 'loopback', origin, host };
  return { kind: 'app', scheme: protocol.slice(0, -1) };
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
