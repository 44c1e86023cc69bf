import type { FastifyRequest } from 'fastify';

/** Returns whether the caller accepts a media type (RFC 9110 section 12.5.1); without an Accept header, any. */
export function acceptsType(request: FastifyRequest, type: string): boolean {
  return qualityOf(request, type) > 0;
}

/** Returns whether the caller names a media type in full, not as a range, and does not rank `other` above it. */
export function prefersType(request: FastifyRequest, type: string, other: string): boolean {
  const quality = rangesOf(request)?.get(type) ?? 0;
  return quality > 0 && quality >= qualityOf(request, other);
}

/** Returns the weight of a media type: that of the most specific range which matches it. */
function qualityOf(request: FastifyRequest, type: string): number {
  const ranges = rangesOf(request);
  if (ranges === undefined) return 1;
  return ranges.get(type) ?? ranges.get(`${type.split('/', 1)[0]}/*`) ?? ranges.get('*/*') ?? 0;
}

/** A member of the list, whose parameters may contain quoted commas. */
const member = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g;
/** The weight among the parameters of a range. A name that only ends in `q` does not count. */
const weight = /;[ \t]*q=([01](?:\.\d{0,3})?)[ \t]*(?:;|$)/i;

function rangesOf({ headers }: FastifyRequest): ReadonlyMap<string, number> | undefined {
  if (headers.accept === undefined) return undefined;
  const ranges = new Map<string, number>();
  for (const [text] of headers.accept.matchAll(member)) {
    const range = text.split(';', 1)[0]?.trim().toLowerCase() ?? '';
    const quality = Number(weight.exec(text)?.[1] ?? 1);
    // A type may stand there more than once, with other parameters.
    ranges.set(range, Math.max(quality, ranges.get(range) ?? 0));
  }
  return ranges;
}
