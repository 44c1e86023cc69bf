/** A source of bearer tokens. */
export interface Bearer {
  /** Returns the token for the next request. @throws the error of a failed refresh if the last token has expired */
  current(): Promise<string>;
  /** Returns a new token after `refused` caused a 401; `undefined` if there is none. */
  after(refused: string): Promise<string | undefined>;
}

export function keyBearer(apiKey: string): Bearer {
  return { current: async () => apiKey, after: async () => undefined };
}
