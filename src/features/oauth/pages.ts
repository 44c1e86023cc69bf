/** What the authorization server shows by itself, as complete HTML documents. The surface that draws pages supplies it. */
export interface OAuthPages {
  /** Where an authorization cannot go on and the browser is sent nowhere by itself. */
  error(view: {
    readonly title: string;
    readonly message: string;
    readonly requestId?: string;
    /** Where the client wants its answer, by a name of that place: nobody has verified it. */
    readonly back?: { readonly href: string; readonly name: string };
  }): string;
}
