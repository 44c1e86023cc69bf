/** Renders the pages of requests that never reach the pages surface, which implements this, as complete documents. */
export interface OAuthPages {
  /** Renders the page of an authorization that failed without an automatic redirect, or of an unknown path. */
  error(view: {
    readonly title: string;
    readonly message: string;
    readonly requestId?: string;
    /** True to link to the start page. */
    readonly home?: boolean;
    /** A link to the client's redirect URI and its display name, which are not verified. */
    readonly back?: { readonly href: string; readonly name: string };
  }): string;
}
