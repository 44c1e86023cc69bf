/**
 * Returns the command that signs in to the service. It includes the address, because ORGCTX_URL may name another one.
 */
export function loginHint(baseUrl: string): string {
  return `"orgctx login --url ${baseUrl}"`;
}
