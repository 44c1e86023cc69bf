/** What the authorization server shows by itself, as complete HTML documents. The surface that draws pages supplies it. */
export interface OAuthPages {
  /** Where an authorization cannot go on and there is nowhere to send the browser to. */
  error(view: { readonly title: string; readonly message: string; readonly requestId?: string }): string;
}
