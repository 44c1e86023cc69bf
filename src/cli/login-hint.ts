/** The command that signs in at that very service: without the address it may be another one's, by ORGCTX_URL. */
export function loginHint(baseUrl: string): string {
  return `orgctx login --url ${baseUrl}`;
}
