import type { KoaContextWithOIDC, Provider } from 'oidc-provider';

export interface HeldAnswer {
  /** Why the authorization cannot go on, as the client would be told. */
  readonly reason: string;
  /** Where the answer would have gone, with the error in it. */
  readonly href: string;
  /** A host, or `cursor://`. */
  readonly name: string;
}

/**
 * What a client is told goes by itself only once a person has decided, or to their own machine. Anybody can register
 * any address, so an error that leads there at once would make every link to this service lead anywhere (RFC 9700
 * section 4.11.2): `show` puts it before the person instead, who may follow.
 */
export function holdUndecided(
  provider: Provider,
  show: (ctx: KoaContextWithOIDC, held: HeldAnswer) => void,
): void {
  provider.use(async (ctx, next) => {
    await next();
    const location = ctx.status === 303 ? String(ctx.res.getHeader('location') ?? '') : '';
    // A path leads to a page of this service.
    const target = URL.parse(location);
    if (target === null || target.protocol === 'http:' || isDecided(ctx as KoaContextWithOIDC)) return;
    ctx.remove('location');
    ctx.status = 400;
    const { searchParams, protocol, host } = target;
    show(ctx as KoaContextWithOIDC, {
      reason: searchParams.get('error_description') ?? searchParams.get('error') ?? '',
      href: location,
      name: protocol === 'https:' ? host : `${protocol}//`,
    });
  });
}

function isDecided({ oidc }: KoaContextWithOIDC): boolean {
  return oidc?.entities.Interaction?.result !== undefined;
}
