import { OutboundError, type OutboundReason } from './outbound-error.ts';

/** Converts errors of undici, Node and OpenSSL into `OutboundError`. */
export function classifyFailure(
  host: string,
  error: unknown,
  progress: { readonly isUnconnected?: boolean } = {},
): OutboundError {
  const code = codeOf(error);
  const reason = reasonOf(code);
  const { message, hint } = textsFor(host, reason, code);
  const options = { cause: error, ...progress, ...(hint === undefined ? {} : { hint }) };
  return new OutboundError(host, reason, message, options);
}

const reasons: readonly (readonly [RegExp, OutboundReason])[] = [
  [/^(ENOTFOUND|EAI_)/, 'dns'],
  [/^ECONNREFUSED$/, 'refused'],
  [/^(UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT|ETIMEDOUT)$/, 'timeout'],
  [/^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|EPROTO$|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|HOSTNAME_MISMATCH)/, 'tls'],
  [/^(HPE_|UND_ERR_(HEADERS_OVERFLOW|RES_)|Z_|ERR_(_ERROR_FORMAT|BROTLI|ZSTD|_ZSTD)|ZSTD_)/, 'protocol'],
];

export function reasonOf(code: string): OutboundReason {
  return reasons.find(([pattern]) => pattern.test(code))?.[1] ?? 'unreachable';
}

/** Returns the code of the error, of its first attempt (AggregateError), or of its cause. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  // undici leaves the code of a parser error empty.
  if (error.name === 'HTTPParserError') return 'HPE_INVALID';
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return codeOf(error.cause);
}

interface Texts {
  readonly message: string;
  readonly hint?: string;
}

function textsFor(host: string, reason: OutboundReason, code: string): Texts {
  const suffix = code === '' ? '' : ` (${code})`;
  const texts: Readonly<Record<OutboundReason, Texts>> = {
    dns: { message: `The host name ${host} cannot be resolved.`, hint: 'Check its spelling and the DNS.' },
    refused: {
      message: `${host} refused the connection.`,
      hint: 'Check that the service is listening on that port.',
    },
    timeout: { message: `${host} did not answer in time.` },
    tls: { message: `The TLS connection to ${host} failed${suffix}.`, hint: tlsHint(code) },
    protocol: { message: `${host} did not send a valid HTTP response${suffix}.` },
    too_large: { message: `The response of ${host} is too large.` },
    unreachable: { message: `${host} could not be reached${suffix}.` },
  };
  return texts[reason];
}

function tlsHint(code: string): string {
  if (/EXPIRED|NOT_YET/.test(code)) return "Renew the certificate, or correct this machine's clock.";
  if (/ALTNAME|HOSTNAME/.test(code))
    return 'The certificate is for another name: use the name it was issued for.';
  if (/^(ERR_SSL|EPROTO)/.test(code)) return 'Check that the port uses TLS.';
  return 'If it uses a private certificate authority, set NODE_EXTRA_CA_CERTS to its PEM file.';
}
