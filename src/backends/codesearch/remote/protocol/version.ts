/**
 * The header that names the protocol version between orgctx and its code search service, in each request and each
 * response. The number increases with every incompatible change.
 */
export const protocolHeader = 'orgctx-codesearch-protocol';
export const protocolNumber = 2;

/**
 * Returns how to resolve a version mismatch; `undefined` if the versions match. `version` is the header of the other
 * side.
 */
export function protocolError(version: string | undefined, side: 'caller' | 'service'): string | undefined {
  if (version === String(protocolNumber)) return undefined;
  const names = { caller: 'the backend and workers', service: 'the code search service' } as const;
  const [own, other] =
    side === 'caller' ? (['caller', 'service'] as const) : (['service', 'caller'] as const);
  if (version === undefined || !/^\d{1,6}$/.test(version)) {
    return side === 'caller'
      ? 'The server at CODESEARCH_URL is not a code search service of orgctx. Check CODESEARCH_URL.'
      : `Only orgctx can call this service. The header ${protocolHeader} must name the protocol version.`;
  }
  const older = Number(version) < protocolNumber ? other : own;
  return `The versions differ (protocol ${protocolNumber} here, ${version} there): upgrade ${names[older]}.`;
}
