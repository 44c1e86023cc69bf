/** The pages of the authorization server, each a complete HTML document. The surface that draws pages supplies them. */
export interface OAuthPages {
  /** Where a person types the code that a device shows. `csrf` goes into the hidden field `csrf`. */
  device(view: {
    readonly action: string;
    readonly csrf: string;
    /** To fill the field with; never sent by itself. */
    readonly userCode?: string;
    readonly fault?: string;
  }): string;
  deviceDone(view: { readonly clientName: string }): string;
  /** Where an authorization cannot go on and there is nowhere to send the browser to. */
  error(view: { readonly title: string; readonly message: string; readonly requestId?: string }): string;
}
