/**
 * The interface between orgctx and its code search service. Both sides name the number of it that they speak in this
 * header, with each request and each answer. It rises with every change that the other side cannot take.
 */
export const protocolHeader = 'orgctx-codesearch-protocol';
export const protocolNumber = 1;

/** What to do where the two sides differ; `undefined` where they agree. `theirs` is the other side's header. */
export function protocolFault(theirs: string | undefined, side: 'caller' | 'service'): string | undefined {
  if (theirs === String(protocolNumber)) return undefined;
  const names = { caller: 'the backend and workers', service: 'the code search service' } as const;
  const [own, other] =
    side === 'caller' ? (['caller', 'service'] as const) : (['service', 'caller'] as const);
  if (theirs === undefined || !/^\d{1,6}$/.test(theirs)) {
    return side === 'caller'
      ? 'What answers at CODESEARCH_URL is no code search service of orgctx: check CODESEARCH_URL.'
      : `This service is called by orgctx alone, which names its protocol in the header ${protocolHeader}.`;
  }
  const older = Number(theirs) < protocolNumber ? other : own;
  return `The versions differ (protocol ${protocolNumber} here, ${theirs} there): upgrade ${names[older]}.`;
}
