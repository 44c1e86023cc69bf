import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { HookDelivery } from './port.ts';

/** Verifies `X-Hub-Signature-256: sha256=<hex>`; a header that is sent twice is malformed. */
export function verifyHubSignature({ headers, body }: HookDelivery, secret: string): boolean {
  return verifyHex(
    /^sha256=([\da-f]{64})$/.exec(headerOf(headers, 'x-hub-signature-256') ?? '')?.[1],
    body,
    secret,
  );
}

/** Verifies the HMAC-SHA256 of the body in lower-case hex, in constant time. */
export function verifyHex(signature: string | undefined, body: Buffer, secret: string): boolean {
  if (secret === '' || signature === undefined || !/^[\da-f]{64}$/.test(signature)) return false;
  return timingSafeEqual(createHmac('sha256', secret).update(body).digest(), Buffer.from(signature, 'hex'));
}

/** Returns the delivery id of the first of these headers, or a hash of the body. */
export function deliveryId({ headers, body }: HookDelivery, names: readonly string[]): string {
  const given = names.map((name) => headerOf(headers, name)).find((id) => id !== undefined);
  if (given !== undefined && /^[\w-]{1,100}$/.test(given)) return given;
  return `sha256:${createHash('sha256').update(body).digest('hex')}`;
}

export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? undefined : value;
}
