const maxLength = 2_048;

/**
 * Returns whether a client id is the URL of a Client ID Metadata Document
 * (draft-ietf-oauth-client-id-metadata-document-02 section 3): https with a path, without fragment, user name, password
 * and dot segments. The URL must be normalized, so that each document has exactly one client id.
 */
export function isClientIdUrl(clientId: string): boolean {
  if (clientId.length > maxLength || !clientId.startsWith('https://')) return false;
  const url = URL.parse(clientId);
  return (
    url !== null &&
    url.href === clientId &&
    !clientId.includes('#') &&
    url.username === '' &&
    url.password === '' &&
    url.pathname !== '/'
  );
}
