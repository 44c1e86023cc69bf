import type { KoaContextWithOIDC, Provider } from 'oidc-provider';

export interface HeldRedirect {
  /** The reason why the authorization failed, as the client would receive it. */
  readonly reason: string;
  /** The URL of the redirect, including the error parameters. */
  readonly href: string;
  /** A host, or a scheme such as `cursor://`. */
  readonly name: string;
}

/**
 * Shows a page instead of a redirect to a client if the user has not decided yet, unless the redirect goes to the
 * user's own machine. Anyone can register any redirect URI, so an automatic error redirect would make this service an
 * open redirector (RFC 9700 section 4.11.2). `show` renders the page, on which the user may follow the link.
 */
export function holdUndecidedRedirects(
  provider: Provider,
  show: (ctx: KoaContextWithOIDC, held: HeldRedirect) => void,
): void {
  provider.use(async (ctx, next) => {
    await next();
    const location = ctx.status === 303 ? String(ctx.res.getHeader('location') ?? '') : '';
    // A location without an origin is a page of this service.
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
